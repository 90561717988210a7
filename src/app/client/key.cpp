#include <cstdio>
#include <fmt/format.h>

#include "app/base/secret_file.h"
#include "app/client/client_commands.h"
#include "app/client/client_key.h"
#include "app/config/config.h"
#include "app/database/database.h"
#include "nostr/nip19.h"

namespace graspd::app {

int show_key(const KeyOptions& options) {
  const auto path = client_key_path(options.key_file, process_environment());
  if (!path) return fail(path.error());
  const auto keypair = options.make_new ? make_client_key(*path) : load_client_key(*path);
  if (!keypair) return fail(keypair.error());
  if (options.make_new) {
    fmt::print(stderr,
               "created a new key in {}; whoever has this file can sign as you: keep a copy safe\n",
               path->string());
  }
  fmt::print("{}\n", nostr::nip19::npub(keypair->public_key()));
  if (options.show_secret) {
    std::string secret = nostr::nip19::nsec(keypair->secret_key());
    fmt::print("{}\n", secret);
    wipe(secret);
  }
  return 0;
}

}  // namespace graspd::app
