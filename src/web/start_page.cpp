#include "web/start_page.h"

#include <fmt/format.h>

#include "nostr/nip19.h"
#include "web/html.h"
#include "web/markup.h"
#include "web/text.h"

namespace graspd::web {
namespace {

std::string opening(const relay::Identity& identity, std::string_view trouble) {
  const std::string note =
      trouble.empty()
          ? ""
          : fmt::format("<p class=\"note\">This server is {}.</p>\n", http::escape(trouble));
  return fmt::format("<h1>{}</h1>\n{}<p>{}</p>\n", http::escape(identity.name), note,
                     http::escape(identity.description));
}

// The operator wrote it, so it may also be a mail address.
std::string contact(std::string_view how) {
  constexpr std::string_view kMail = "mailto:";
  if (how.empty()) return {};
  const bool is_mail = how.starts_with(kMail);
  return fmt::format("<p>Contact: {}</p>\n",
                     is_mail ? link(how, shown(how.substr(kMail.size()))) : link_if_web(how));
}

std::string closing(const relay::Identity& identity) {
  return fmt::format("<p>Operated by <code>{}</code></p>\n{}<p class=\"small\">graspd {}</p>\n",
                     nostr::nip19::npub(identity.pubkey), contact(identity.contact),
                     http::escape(identity.version));
}

std::string relay_manual(const Home& home) {
  return "<p>This is a " + link("https://nostr.com", "Nostr") +
         " relay for git collaboration. Add it to a client as</p>\n" + command(home.relay.text());
}

std::string host_manual(const Home& home) {
  return "<p>This service hosts git repositories that are announced and signed over " +
         link("https://nostr.com", "Nostr") + " (" + link("https://ngit.dev/grasp", "GRASP") +
         "): no account is needed, a key is enough. Announce a repository with this relay</p>\n" +
         command(home.relay.text()) + "<p>and this clone URL</p>\n" +
         command(home.url("/<npub>/<identifier>.git")) +
         "<p>then publish its state and push. Clients such as " + link("https://ngit.dev", "ngit") +
         " do all of this for you.</p>\n";
}

std::string line(const grasp::RepositoryLine& repository, const Home& home) {
  const auto& name =
      repository.name.empty() ? repository.coordinate.identifier.text() : repository.name;
  std::string out =
      fmt::format("<li><p><a href=\"{}\">{}</a></p>\n",
                  http::escape(home.page_path(repository.coordinate)), shown(name, kNameBytesMax));
  if (!repository.description.empty())
    out += fmt::format("<p>{}</p>\n", shown(repository.description));
  return out + fmt::format("<p class=\"small\">by {} {}</p></li>\n",
                           person(repository.coordinate.owner), date(repository.announced_at));
}

std::string list_of(const Hosted& hosted, const Home& home) {
  if (hosted.lines.empty()) return "<h2>Repositories</h2>\n<p>None yet.</p>\n";
  std::string out = "<h2>Repositories</h2>\n";
  if (hosted.total > hosted.lines.size())
    out += fmt::format("<p>The newest {} of {}.</p>\n", hosted.lines.size(), hosted.total);
  out += "<ul class=\"cards\">\n";
  for (const auto& repository : hosted.lines) out += line(repository, home);
  return out + "</ul>\n";
}

std::string sync_line(const Home& home, std::string_view verdict) {
  if (verdict.empty()) return {};
  return fmt::format("<p><a href=\"{}\">Sync with other relays</a>: {}</p>\n",
                     http::escape(home.path("/sync")), http::escape(verdict));
}

http::Response page(const relay::Identity& identity, const Home& home, std::string_view body) {
  auto response = http::page_response(200, identity.name, body, home.icon());
  response.headers.add("Cache-Control", "no-cache");
  return response;
}

}  // namespace

http::Response start_page(const relay::Identity& identity, const Home& home,
                          std::string_view trouble) {
  return page(identity, home, opening(identity, trouble) + relay_manual(home) + closing(identity));
}

http::Response private_start_page(const relay::Identity& identity, const Home& home,
                                  std::string_view trouble) {
  const std::string manual =
      "<p>This is a private git server (" + link("https://ngit.dev/grasp", "GRASP-08") +
      "): only members can read and announce repositories here. Members use this relay</p>\n" +
      command(home.relay.text()) + "<p>and this clone URL</p>\n" +
      command(home.url("/<npub>/<identifier>.git"));
  return page(identity, home, opening(identity, trouble) + manual + closing(identity));
}

http::Response start_page(const relay::Identity& identity, const Home& home, const Hosted& hosted,
                          std::string_view sync_verdict, std::string_view trouble) {
  return page(identity, home,
              opening(identity, trouble) + host_manual(home) + list_of(hosted, home) +
                  sync_line(home, sync_verdict) + closing(identity));
}

}  // namespace graspd::web
