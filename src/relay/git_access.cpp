#include "relay/git_access.h"

#include <cstdlib>

#include "core/base64.h"
#include "core/percent.h"
#include "nostr/json.h"
#include "nostr/serialize.h"
#include "nostr/signature.h"
#include "relay/http_auth.h"

namespace graspd::relay {
namespace {

constexpr std::string_view kNostr = "Nostr ";
constexpr std::string_view kBasic = "Basic ";
constexpr std::string_view kSuffix = ".git";
// An event with two tags has half a kilobyte.
constexpr std::size_t kCredentialBytesMax = 8 * 1024;

// R1
std::optional<std::string> token_of(std::string_view authorization) {
  if (authorization.size() > kCredentialBytesMax) return std::nullopt;
  if (authorization.starts_with(kNostr)) return std::string(authorization.substr(kNostr.size()));
  if (!authorization.starts_with(kBasic)) return std::nullopt;
  const auto pair = core::decode_base64(authorization.substr(kBasic.size()));
  const auto colon = pair ? pair->find(':') : std::string::npos;
  if (colon == std::string::npos) return std::nullopt;
  return pair->substr(colon + 1);
}

std::optional<nostr::Event> event_of(std::optional<std::string_view> authorization) {
  const auto token = authorization ? token_of(*authorization) : std::nullopt;
  const auto json = token ? core::decode_base64(*token) : std::nullopt;
  if (!json) return std::nullopt;
  auto event = nostr::JsonReader().event(*json);
  if (!event) return std::nullopt;
  return *std::move(event);
}

// R3: the one value of the one tag of that name.
std::optional<std::string_view> only_value(const nostr::Event& event, std::string_view name) {
  std::optional<std::string_view> value;
  for (const nostr::Tag tag : event.tags) {
    if (tag.name() != name) continue;
    if (value || tag.size() != 2) return std::nullopt;
    value = tag.value();
  }
  return value;
}

// R4. It is only compared: what a sequence stands for counts, not how it is written.
std::string comparable(const nostr::RelayUrl& url) {
  const std::string text = http_url_of(url);
  return core::percent_decode(text).value_or(text);
}

bool is_for(const nostr::Event& event, const std::string& root) {
  if (event.kind != nostr::kinds::kHttpAuth || only_value(event, "method") != "GET") return false;
  const auto named = only_value(event, "u");
  const auto url = named ? relay_url_of_http(*named) : std::nullopt;
  return url && comparable(*url) == root;
}

std::optional<nostr::RelayUrl> root_url(std::string_view url) {
  const auto suffix = url.rfind(kSuffix);
  if (suffix == url.npos) return std::nullopt;
  return relay_url_of_http(url.substr(0, suffix + kSuffix.size()));
}

}  // namespace

std::optional<std::string> git_root(std::string_view url) {
  const auto root = root_url(url);
  if (!root) return std::nullopt;
  return http_url_of(*root);
}

bool GitClaim::is_signed() const {
  return nostr::id_is_right(event) && nostr::signature_is_right(event);
}

std::optional<GitClaim> GitAccess::claim(std::optional<std::string_view> authorization,
                                         std::string_view path) const {
  auto event = event_of(authorization);
  if (!event) return std::nullopt;
  const bool names_one = path.find(kSuffix) != path.npos;  // a host may have it in its name, too
  const auto url = names_one ? root_url(origin_ + std::string(path)) : std::nullopt;
  if (!url) return std::nullopt;
  std::string root = comparable(*url);
  if (!is_for(*event, root)) return std::nullopt;
  return GitClaim{*std::move(event), std::move(root)};
}

bool GitAccess::may_be_good(const GitClaim& claim, core::Now now, const IsMember& is_member) const {
  if (!is_member(claim.event.pubkey)) return false;
  const auto off = std::abs(now.unix_seconds - claim.event.created_at);
  return off <= kHttpAuthToleranceSeconds || is_remembered(claim, now.instant);
}

bool GitAccess::is_remembered(const GitClaim& claim, core::Instant now) const {
  const auto found = accepted_.find(claim.event.id);
  return found != accepted_.end() && found->second.root == claim.root && now < found->second.until;
}

void GitAccess::accept(const GitClaim& claim, core::Instant now) {
  if (is_remembered(claim, now)) return;
  forget_old(now);
  const nostr::EventId& id = claim.event.id;
  const auto [place, is_new] =
      accepted_.try_emplace(id, Accepted{claim.root, claim.event.pubkey, now + kGoodFor});
  if (is_new) order_.push_back(id);
}

void GitAccess::forget_old(core::Instant now) {
  while (!order_.empty()) {
    const auto oldest = accepted_.find(order_.front());
    const bool is_gone = oldest == accepted_.end();
    if (!is_gone && now < oldest->second.until && accepted_.size() < kRememberedMax) return;
    if (!is_gone) accepted_.erase(oldest);
    order_.pop_front();
  }
}

void GitAccess::members_changed(const IsMember& is_member) {
  std::erase_if(accepted_, [&](const auto& one) { return !is_member(one.second.member); });
  std::erase_if(order_, [&](const nostr::EventId& id) { return !accepted_.contains(id); });
}

}  // namespace graspd::relay
