#include "web/html.h"

#include <fmt/format.h>

#include "core/base64.h"
#include "core/sha256.h"

namespace graspd::http {
namespace {

constexpr std::string_view kStyle =
    ":root{color-scheme:light dark;--ink:#1d1d22;--paper:#fdfdfb;--soft:#5b5b66;--line:#d3d3da;"
    "--box:#f2f2f5;--link:#0a52a8;--note:#fff2cf}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e7e7ea;--paper:#17171b;--soft:#a6a6b2;"
    "--line:#3b3b44;--box:#222228;--link:#8dbaff;--note:#3a3015}}"
    "*{box-sizing:border-box}"
    "body{max-width:46rem;margin:2rem auto;padding:0 1rem;font:1rem/1.6 system-ui,sans-serif;"
    "color:var(--ink);background:var(--paper);overflow-wrap:anywhere}"
    "h1{font-size:1.6rem;line-height:1.3}h2{font-size:1.15rem;margin:2rem 0 .5rem}"
    "a{color:var(--link)}p{margin:.6rem 0}img{vertical-align:middle}"
    "code,pre{font-family:ui-monospace,monospace;font-size:.92em}"
    "pre{padding:.7rem .8rem;border:1px solid var(--line);border-radius:.3rem;"
    "background:var(--box);white-space:pre-wrap}"
    "ul{padding-left:1.2rem;margin:.4rem 0}li{margin:.25rem 0}"
    ".words{white-space:pre-line}.small{color:var(--soft);font-size:.88rem}"
    ".note{padding:.6rem .8rem;border-radius:.3rem;background:var(--note)}"
    ".mark{padding:0 .4rem;border:1px solid var(--line);border-radius:.3rem;font-size:.8rem}"
    ".cards{list-style:none;padding:0}"
    ".cards li{padding:.7rem 0;border-top:1px solid var(--line);margin:0}.cards p{margin:0}";

// What allows exactly this text (CSP 3).
std::string hash_source(std::string_view text) {
  return fmt::format("'sha256-{}'", core::encode_base64(core::sha256(text)));
}

std::string policy(const PageExtras& extras) {
  std::string styles = hash_source(kStyle);
  if (!extras.style.empty()) styles += " " + hash_source(extras.style);
  std::string scripts;
  if (!extras.script.empty())
    scripts = fmt::format("script-src {}; connect-src 'self'; ", hash_source(extras.script));
  return fmt::format(
      "default-src 'none'; style-src {}; {}img-src 'self'; base-uri 'none'; "
      "form-action 'none'; frame-ancestors 'none'",
      styles, scripts);
}

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string page(std::string_view title, std::string_view body, std::string_view icon,
                 const PageExtras& extras) {
  const std::string link =
      icon.empty() ? "" : fmt::format("<link rel=\"icon\" href=\"{}\">\n", escape(icon));
  const std::string style =
      extras.style.empty() ? "" : fmt::format("<style>{}</style>\n", extras.style);
  const std::string script = extras.script.empty()
                                 ? ""
                                 : fmt::format("<script data-base=\"{}\">{}</script>\n",
                                               escape(extras.script_base), extras.script);
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n{}<style>{}</style>\n{}</head>\n<body>\n<main>\n{}\n</main>\n{}</body>\n"
      "</html>\n",
      escape(title), link, kStyle, style, body, script);
}

Response page_response(std::uint16_t status, std::string_view title, std::string_view body,
                       std::string_view icon, const PageExtras& extras) {
  Response response{status, {}, page(title, body, icon, extras)};
  response.headers.add("Content-Type", "text/html; charset=utf-8");
  response.headers.add("Content-Security-Policy", policy(extras));
  response.headers.add("X-Content-Type-Options", "nosniff");
  response.headers.add("Referrer-Policy", "no-referrer");
  return response;
}

}  // namespace graspd::http
