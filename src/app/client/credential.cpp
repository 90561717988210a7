#include "app/client/credential.h"

#include <cstdio>
#include <fmt/format.h>
#include <map>
#include <vector>

#include "app/base/standard_input.h"
#include "app/client/client_commands.h"
#include "app/client/client_key.h"
#include "app/client/drafts.h"
#include "app/database/database.h"
#include "core/base64.h"
#include "core/percent.h"
#include "net/clock.h"
#include "nostr/serialize.h"
#include "relay/git_access.h"
#include "relay/http_auth.h"

namespace graspd::app {
namespace {

// A credential that was accepted stays good for ten minutes: whoever caches it has nine.
constexpr core::UnixSeconds kCacheSeconds = 9 * 60;

struct Description {
  std::map<std::string, std::string, std::less<>> fields;
  std::vector<std::string> challenges;  // of the server, where git tells them

  std::string field(std::string_view name) const {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string() : found->second;
  }
};

Description parse_description(std::string_view text) {
  Description described;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto equals = line.find('=');
    if (equals == line.npos) continue;
    const std::string_view name = line.substr(0, equals), value = line.substr(equals + 1);
    if (name == "wwwauth[]")
      described.challenges.emplace_back(value);
    else
      described.fields.insert_or_assign(std::string(name), std::string(value));
  }
  return described;
}

// git tells the path decoded.
std::string encoded(std::string_view path) {
  std::string text;
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find('/', begin), path.size());
    text += '/' + core::percent_encode(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return text;
}

bool asks_for_signature(const Description& described) {
  if (described.challenges.empty()) return true;  // an older git does not tell
  for (const std::string& challenge : described.challenges)
    if (challenge.starts_with("Nostr ")) return true;
  return false;
}

}  // namespace

core::Result<std::string, std::string> credential_root(std::string_view description) {
  const Description described = parse_description(description);
  const std::string protocol = described.field("protocol"), host = described.field("host");
  const bool is_http = protocol == "http" || protocol == "https";
  if (!is_http || host.empty() || !asks_for_signature(described)) return std::string();
  const std::string path = described.field("path");
  if (path.empty())  // R3
    return core::Failure{
        fmt::format("git does not say which repository of {0} it needs; run: git config --global "
                    "credential.{1}://{0}.useHttpPath true",
                    host, protocol)};
  return relay::git_root(fmt::format("{}://{}{}", protocol, host, encoded(path))).value_or("");
}

std::string credential_answer(const std::string& root, const nostr::Keypair& keypair,
                              core::UnixSeconds now) {
  const nostr::Event event = signed_event(relay::http_auth_draft("GET", root, ""), keypair, now);
  return fmt::format("username=nostr\npassword={}\npassword_expiry_utc={}\n",
                     core::encode_base64(nostr::to_json(event)), now + kCacheSeconds);
}

int give_credential(const CredentialOptions& options) {
  if (options.action != "get") return 0;  // R2
  const auto description = read_standard_input();
  if (!description) return fail(description.error());
  const auto root = credential_root(*description);
  if (!root) return fail(root.error());
  if (root->empty()) return 0;
  const auto keypair = client_key(options.key_file);
  if (!keypair) return fail(keypair.error());
  fmt::print("{}", credential_answer(*root, *keypair, net::now().unix_seconds));
  return 0;
}

}  // namespace graspd::app
