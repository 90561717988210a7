#include "web/repository_page.h"

#include <fmt/format.h>

#include "nostr/nip19.h"
#include "web/fetch_words.h"
#include "web/html.h"
#include "web/markup.h"
#include "web/sync_summary.h"
#include "web/text.h"

namespace graspd::web {
namespace {

using grasp::RepositoryCard;

constexpr std::size_t kDescriptionBytesMax = 5'000;  // a page of text
constexpr std::size_t kPathBytesMax = 300;

const std::string& name_of(const grasp::Announcement& announcement) {  // R1
  return announcement.name.empty() ? announcement.coordinate.identifier.text() : announcement.name;
}

std::string start_link(const Home& home) {
  return fmt::format("<p class=\"small\"><a href=\"{}\">{}</a></p>\n", http::escape(home.start()),
                     http::escape(home.relay.host()));
}

std::string opening(const RepositoryCard& card, const Home& home) {
  const auto& announcement = card.announcement;
  std::string out = start_link(home);
  out += fmt::format("<h1>{}</h1>\n", shown(name_of(announcement), kNameBytesMax));
  out += fmt::format("<p class=\"small\">{} by {}</p>\n",
                     code(announcement.coordinate.identifier.text()),
                     person(announcement.coordinate.owner));
  if (!announcement.description.empty())
    out += fmt::format("<p class=\"words\">{}</p>\n",
                       shown(announcement.description, kDescriptionBytesMax));
  return out;
}

std::string waiting_note(const RepositoryCard& card) {  // R2
  if (card.place != grasp::Place::Waiting) return {};
  return "<p class=\"note\">Waiting for git data: this repository is announced, and becomes "
         "visible when one of its maintainers pushes to it.</p>\n";
}

std::string clone_commands(const grasp::Coordinate& repository, const Home& home) {
  return "<h2>Clone</h2>\n" + command("git clone " + home.clone_url(repository)) + "<p>With " +
         link("https://ngit.dev", "ngit") +
         " installed, to contribute, and to find the repository even if it moves:</p>\n" +
         command("git clone " + home.nostr_url(repository));
}

std::string clients(const grasp::Coordinate& repository, const Home& home) {
  std::string out = "<h2>Issues, pull requests and code</h2>\n<ul>\n<li>" +
                    link(home.gitworkshop_url(repository), "gitworkshop.dev") + "</li>\n";
  const auto name = nostr::nip19::encode(
      nostr::nip19::AddressPointer{repository.announcement_address(), {home.relay.text()}});
  if (name) out += "<li>" + link("nostr:" + *name, "a Nostr client on this device") + "</li>\n";
  return out + "</ul>\n";
}

std::string default_branch(const RepositoryCard& card) {  // R3
  if (!card.head) return {};
  const bool is_there = card.branches.contains(*card.head);
  return fmt::format("<p>Default branch: {}{}</p>\n", code(card.head->short_name()),
                     is_there ? "" : " (no commits yet)");
}

std::string branches(const RepositoryCard& card) {
  if (card.branches.empty()) return "<h2>Branches</h2>\n<p>None yet.</p>\n" + default_branch(card);
  const auto line = [&](const auto& branch) {
    const bool is_default = card.head == branch.first;
    return fmt::format("{}{} <span class=\"small\">{}</span>", code(branch.first.short_name()),
                       is_default ? " <span class=\"mark\">default</span>" : "",
                       code(branch.second.hex()));
  };
  return "<h2>Branches</h2>\n" + default_branch(card) + list(card.branches, line);
}

std::string tags(const RepositoryCard& card) {
  return section("Tags", card.tags, [](const auto& tag) {
    return fmt::format("{} <span class=\"small\">{}</span>", code(tag.first.short_name()),
                       code(tag.second.hex()));
  });
}

std::string maintainers(const RepositoryCard& card) {
  if (card.maintainers.empty())
    return fmt::format(
        "<h2>Maintainers</h2>\n<p>No key has authority over this repository: {}.</p>\n",
        shown(card.no_authority));
  return section("Maintainers", card.maintainers, person);
}

std::string compared(const grasp::Comparison& peer, core::UnixSeconds now) {
  return fmt::format("<p class=\"small\">Compared with {} {} ago: {}.</p>\n", code(peer.url),
                     sync::span(now - peer.at),
                     peer.difference.empty() ? "the same" : "there, " + shown(peer.difference));
}

std::string fetch(const sync::FetchStatus& fetch, core::UnixSeconds now) {
  const auto source = [&](const sync::FetchSourceStatus& one) {
    return shown(sync::source_in_words(one, now));
  };
  std::string out = fmt::format(
      "<p class=\"note\">Searching for git data for {}: {}, needed by {}. Next try: {}.</p>\n",
      sync::span(now - fetch.since), shown(sync::missing_in_words(fetch)),
      shown(sync::wanted_in_words(fetch)), shown(sync::next_in_words(fetch, now)));
  if (!fetch.sources.empty()) out += list(fetch.sources, source);
  return out;
}

std::string health(const RepositoryCard& card) {
  if (!card.health) return {};
  const grasp::GitHealth& health = *card.health;
  const auto line = [&](std::string_view good, std::string_view bad, const std::string& why,
                        std::optional<core::UnixSeconds> last) {
    const std::string ago = last ? sync::span(card.taken_at - *last) + " ago" : "";
    if (why.empty()) return last ? fmt::format("<p>{} {}.</p>\n", good, ago) : std::string();
    return fmt::format("<p class=\"note\">{}: {}.{}</p>\n", bad, shown(why),
                       last ? " Last OK " + ago + "." : "");
  };
  const std::string said =
      line("Synced with the signed state", "Not synced with the signed state", health.behind,
           health.synced_at) +
      line("Verified, object by object,", "Not verified", health.problem, health.verified_at);
  const bool is_pending = !health.verified_at && health.problem.empty();
  return said + (is_pending ? "<p>Not verified since it was added or changed.</p>\n" : "") +
         (health.compared ? compared(*health.compared, card.taken_at) : "");
}

std::string git_data(const RepositoryCard& card, const std::vector<sync::FetchStatus>& fetches) {
  std::string said = health(card);  // R4
  for (const sync::FetchStatus& one : fetches) said += fetch(one, card.taken_at);
  return said.empty() ? said : "<h2>Git data</h2>\n" + said;
}

std::string dates(const RepositoryCard& card) {
  const auto said = [](std::string_view what, core::UnixSeconds time) {
    const std::string day = date(time);
    return day.empty() ? day : fmt::format("{} <time datetime=\"{}\">{}</time>. ", what, day, day);
  };
  return "<p class=\"small\">" + said("Announced on", card.announcement.created_at) +
         (card.state_since ? said("Branches and tags as signed on", *card.state_since) : "") +
         "</p>\n";
}

}  // namespace

http::Response repository_page(const RepositoryCard& card, const Home& home,
                               const std::vector<sync::FetchStatus>& fetches) {
  const auto& announcement = card.announcement;
  const auto& repository = announcement.coordinate;
  const auto text = [](const std::string& words) { return shown(words); };
  const std::string body = opening(card, home) + waiting_note(card) +
                           clone_commands(repository, home) + clients(repository, home) +
                           branches(card) + tags(card) + git_data(card, fetches) +
                           maintainers(card) + section("Topics", announcement.topics, text) +
                           section("On the web", announcement.web, link_if_web) +
                           section("Relays", announcement.relays, code) +
                           section("Git servers", announcement.clone, code) + dates(card);
  const std::string title =
      fmt::format("{} - {}", tidy(name_of(announcement), kNameBytesMax), home.relay.host());
  auto response = http::page_response(200, title, body, home.icon());
  response.headers.add("Cache-Control", "no-cache");
  return response;
}

http::Response missing_repository_page(std::string_view path, const Home& home) {
  const std::string body = fmt::format(
      "<h1>No such repository</h1>\n<p>There is no repository at {}.</p>\n"
      "<p>It may not be announced, or its announcement does not list this service in "
      "<code>clone</code> and <code>relays</code>.</p>\n"
      "<p><a href=\"{}\">To the start page</a></p>\n",
      "<code>" + shown(path, kPathBytesMax) + "</code>", http::escape(home.start()));
  auto response = http::page_response(404, "No such repository", body, home.icon());
  response.headers.add("Cache-Control", "no-cache");
  return response;
}

}  // namespace graspd::web
