#include "sync/target_urls.h"

#include <algorithm>

#include "core/url.h"
#include "nostr/bech32.h"

namespace graspd::sync {
namespace {

bool is_npub(std::string_view text) {
  if (!text.starts_with("npub1")) return false;
  const auto decoded = nostr::bech32::decode(text);
  return decoded && decoded->prefix == "npub" && decoded->bytes.size() == 32;
}

// The part of a clone path before /<npub>/<name>.git.
std::optional<std::string_view> base_of(std::string_view path) {
  if (path.ends_with('/')) path.remove_suffix(1);
  if (!path.ends_with(".git")) return std::nullopt;
  const auto name = path.rfind('/');
  if (name == std::string_view::npos || name == 0) return std::nullopt;
  const auto owner = path.rfind('/', name - 1);
  if (owner == std::string_view::npos) return std::nullopt;
  if (!is_npub(path.substr(owner + 1, name - owner - 1))) return std::nullopt;
  return path.substr(0, owner);
}

}  // namespace

bool is_own(const nostr::RelayUrl& url, const std::vector<nostr::RelayUrl>& own) {
  return std::any_of(own.begin(), own.end(), [&](const nostr::RelayUrl& ours) {
    return nostr::names_same_relay(url, ours);
  });
}

std::optional<nostr::RelayUrl> relay_of_clone(std::string_view clone) {
  const auto url = core::Url::parse(clone);
  if (!url || (url->scheme != "http" && url->scheme != "https")) return std::nullopt;
  const auto base = base_of(url->path);
  if (!base) return std::nullopt;
  const bool is_v6 = url->host.find(':') != std::string::npos;
  std::string text = url->scheme == "https" ? "wss://" : "ws://";
  text += is_v6 ? '[' + url->host + ']' : url->host;
  if (url->port) text += ':' + std::to_string(*url->port);
  return nostr::RelayUrl::parse(text.append(*base));
}

TargetUrls target_urls(const std::vector<std::string>& relays,
                       const std::vector<std::string>& clones,
                       const std::vector<nostr::RelayUrl>& own) {
  TargetUrls out;
  const auto take = [&](const nostr::RelayUrl& url) {
    if (is_own(url, own) || std::count(out.urls.begin(), out.urls.end(), url) > 0) return;
    if (out.urls.size() < kRelaysPerRepoMax) {
      out.urls.push_back(url);
    } else {
      ++out.ignored;
    }
  };
  for (const std::string& text : relays) {
    const auto url = nostr::RelayUrl::parse(text);
    if (url) {
      take(*url);
    } else {
      ++out.ignored;
    }
  }
  for (const std::string& text : clones) {
    if (const auto url = relay_of_clone(text)) take(*url);
  }
  std::sort(out.urls.begin(), out.urls.end());
  return out;
}

}  // namespace graspd::sync
