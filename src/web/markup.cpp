#include "web/markup.h"

#include <fmt/format.h>

#include "core/url.h"
#include "nostr/nip19.h"
#include "web/home.h"
#include "web/html.h"
#include "web/text.h"

namespace graspd::web {

std::string link(std::string_view url, std::string_view markup) {
  return fmt::format(R"(<a href="{}" rel="nofollow noopener">{}</a>)", http::escape(url), markup);
}

std::string link_if_web(std::string_view url) {
  const auto parsed = core::Url::parse(url);
  const bool is_web = parsed && (parsed->scheme == "https" || parsed->scheme == "http");
  return is_web ? link(url, shown(url)) : shown(url);
}

std::string person(const nostr::PublicKey& key) {
  return fmt::format(R"(<a href="{}" rel="nofollow noopener" title="{}"><code>{}</code></a>)",
                     gitworkshop_url(key), nostr::nip19::npub(key), short_npub(key));
}

std::string code(std::string_view text) { return "<code>" + shown(text) + "</code>"; }

std::string command(std::string_view text) {
  return "<pre><code>" + http::escape(text) + "</code></pre>\n";
}

}  // namespace graspd::web
