#include "app/base/owner_key.h"

#include <array>
#include <fmt/format.h>
#include <system_error>

#include "app/base/secret_file.h"
#include "core/hex.h"
#include "core/trimmed.h"
#include "nostr/nip19.h"
#include "serve/runtime/random.h"

namespace graspd::app {
namespace {

namespace fs = std::filesystem;
using core::Failure;
using Loaded = core::Result<OwnerKey, std::string>;

constexpr std::string_view kFileName = ".relay-owner.nsec";
constexpr std::string_view kCredential = "relay_owner_nsec";

// What cannot be looked at counts as there: reading it will say why, which beats a new identity.
bool may_exist(const fs::path& path) {
  std::error_code error;
  return fs::status(path, error).type() != fs::file_type::not_found;
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

Loaded from_secret(const nostr::SecretKey& secret, std::string origin) {
  const auto keypair = nostr::Keypair::from(secret);
  if (!keypair) return Failure{fmt::format("{} is no secret key of a person or relay", origin)};
  return OwnerKey{*keypair, std::move(origin), false, {}};
}

Loaded from_file(const fs::path& path) {
  auto text = read_secret_file(path);
  if (!text) {
    return Failure{fmt::format("the owner's key: {}; let this user read it", text.error())};
  }
  const auto secret = parse_secret(*text);
  wipe(*text);
  if (!secret) {
    return Failure{fmt::format(
        "the owner's key: {} holds no nsec1…; restore the right key, or remove the file to get a "
        "new identity",
        path.string())};
  }
  return from_secret(*secret, path.string());
}

Loaded from_own_file(const fs::path& path) {
  const auto exposed = make_private(path);  // R4
  auto key = from_file(path);
  if (key && exposed) key->warnings.push_back("the owner's key: " + *exposed);
  return key;
}

nostr::SecretKey random_secret() {
  nostr::SecretKey::Bytes bytes{};
  do {
    serve::fill_random(bytes);
  } while (!nostr::Keypair::from(nostr::SecretKey(bytes)));
  return nostr::SecretKey(bytes);
}

Loaded make_new(const fs::path& path, const OwnerKeyPlaces& places) {
  const nostr::SecretKey secret = random_secret();
  std::string text = nostr::nip19::nsec(secret) + "\n";
  const auto written = create_secret_file(path, text);
  wipe(text);
  if (!written) {
    return Failure{
        fmt::format("the owner's key: {}; make the folder writable, or set NGIT_OWNER_NSEC_FILE",
                    written.error())};
  }
  auto key = from_secret(secret, path.string());
  if (!key) return key;
  key->is_new = true;
  if (is_there(places.working_directory / places.relay_data_path / "data.mdb")) {  // R5
    key->warnings.push_back(
        fmt::format("created a new identity in {} although there is a database in {}: if this "
                    "relay had a key before, restore it",
                    path.string(), places.relay_data_path.string()));
  }
  return key;
}

std::array<fs::path, 2> files_near_data(const OwnerKeyPlaces& places) {
  std::error_code error;
  fs::path data = fs::absolute(places.working_directory / places.relay_data_path, error);
  data = data.lexically_normal();
  if (!data.has_filename()) data = data.parent_path();  // written with a trailing slash
  const fs::path beside = data.parent_path();
  return {beside / kFileName, beside.parent_path() / kFileName};
}

}  // namespace

core::Result<std::optional<OwnerKey>, std::string> find_owner_key(const OwnerKeyPlaces& places) {
  const auto found = [](Loaded key) -> core::Result<std::optional<OwnerKey>, std::string> {
    if (!key) return Failure{std::move(key).error()};
    return std::optional(*std::move(key));
  };
  if (!places.credentials_directory.empty()) {
    const fs::path credential = places.credentials_directory / kCredential;
    if (may_exist(credential)) return found(from_file(credential));
  }
  if (places.setting) return found(from_secret(*places.setting, "NGIT_RELAY_OWNER_NSEC"));
  const fs::path named = places.file.empty() ? places.working_directory / kFileName : places.file;
  if (may_exist(named)) return found(from_own_file(named));
  if (!places.file.empty()) return std::optional<OwnerKey>();
  for (const fs::path& file : files_near_data(places)) {
    if (is_there(file)) return found(from_own_file(file));
  }
  return std::optional<OwnerKey>();
}

Loaded load_owner_key(const OwnerKeyPlaces& places) {
  auto found = find_owner_key(places);
  if (!found) return Failure{std::move(found).error()};
  if (*found) return **std::move(found);
  return make_new(places.file.empty() ? places.working_directory / kFileName : places.file, places);
}

std::optional<nostr::SecretKey> parse_secret(std::string_view text) {
  text = core::trimmed(text);
  nostr::SecretKey::Bytes bytes{};
  auto secret =
      core::decode_hex(text, bytes) ? nostr::SecretKey(bytes) : nostr::nip19::parse_nsec(text);
  if (secret && !nostr::Keypair::from(*secret)) return std::nullopt;
  return secret;
}

}  // namespace graspd::app
