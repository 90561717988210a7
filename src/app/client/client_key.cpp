#include "app/client/client_key.h"

#include <fmt/format.h>
#include <system_error>

#include "app/base/owner_key.h"
#include "app/base/secret_file.h"
#include "app/base/terminal.h"
#include "app/config/config.h"
#include "nostr/nip19.h"
#include "serve/runtime/random.h"

namespace graspd::app {
namespace {

namespace fs = std::filesystem;
using core::Failure;
using LoadedKeypair = core::Result<nostr::Keypair, std::string>;

std::string value_of(const std::map<std::string, std::string>& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

nostr::Keypair random_keypair() {
  while (true) {
    nostr::SecretKey::Bytes bytes{};
    serve::fill_random(bytes);
    const nostr::SecretKey secret(bytes);
    nostr::wipe(bytes);
    if (const auto keypair = nostr::Keypair::from(secret)) return *keypair;
  }
}

bool make_folder_of(const fs::path& path) {
  std::error_code error;
  if (!path.has_parent_path() || fs::exists(path.parent_path(), error)) return true;
  fs::create_directories(path.parent_path(), error);
  if (error) return false;
  fs::permissions(path.parent_path(), fs::perms::owner_all, error);
  return true;
}

}  // namespace

core::Result<fs::path, std::string> client_key_path(
    const std::string& key_file, const std::map<std::string, std::string>& environment) {
  if (!key_file.empty()) return fs::path(key_file);
  if (const auto file = value_of(environment, "NGIT_CLIENT_KEY_FILE"); !file.empty())
    return fs::path(file);
  if (const auto folder = value_of(environment, "XDG_CONFIG_HOME"); !folder.empty())
    return fs::path(folder) / "graspd" / "key";
  if (const auto home = value_of(environment, "HOME"); !home.empty())
    return fs::path(home) / ".config" / "graspd" / "key";
  return Failure{std::string("HOME is not set; name the file of your key with --key-file")};
}

LoadedKeypair load_client_key(const fs::path& path) {
  std::error_code error;
  if (fs::status(path, error).type() == fs::file_type::not_found) {
    return Failure{
        fmt::format("there is no key in {}; create one with graspd key --new, or name another file "
                    "with --key-file",
                    path.string())};
  }
  if (const auto exposed = make_private(path))  // R3
    fmt::print(stderr, "graspd: warning: your key: {}\n", for_terminal(*exposed));
  auto text = read_secret_file(path);
  if (!text) return Failure{text.error()};
  const auto secret = parse_secret(*text);
  wipe(*text);
  const auto keypair = secret ? nostr::Keypair::from(*secret) : std::nullopt;
  if (!keypair)
    return Failure{
        fmt::format("{} does not contain a secret key; it must hold one nsec1…", path.string())};
  return *keypair;
}

LoadedKeypair make_client_key(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error)) {
    return Failure{
        fmt::format("{} already contains a key, which is kept; name another file with --key-file "
                    "to create a second one",
                    path.string())};
  }
  if (!make_folder_of(path))
    return Failure{fmt::format("cannot create the folder of {}", path.string())};
  const nostr::Keypair keypair = random_keypair();
  std::string text = nostr::nip19::nsec(keypair.secret_key()) + "\n";
  const auto written = create_secret_file(path, text);
  wipe(text);
  if (!written) return Failure{written.error()};
  return keypair;
}

LoadedKeypair client_key(const std::string& key_file) {
  const auto path = client_key_path(key_file, process_environment());
  if (!path) return Failure{path.error()};
  return load_client_key(*path);
}

}  // namespace graspd::app
