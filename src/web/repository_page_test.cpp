#include "web/repository_page.h"

#include <gtest/gtest.h>

#include "git/ref_name.h"
#include "nostr/nip19.h"
#include "web/markup.h"
#include "web/pages_testing.h"
#include "web/sync_report_testing.h"

namespace graspd::web {
namespace repository_page_test {

using testing::announcement;
using testing::author;
using testing::holds;
using testing::home;
using testing::kScript;

const std::string kOid(40, 'a');

void put(git::Refs& refs, const std::string& name) {
  refs.emplace(*git::RefName::parse(name), *git::Oid::parse(kOid));
}

grasp::RepositoryCard card(std::string_view identifier = "my-repo") {
  grasp::RepositoryCard made{announcement(identifier)};
  made.maintainers = {author(1), author(2)};
  made.head = git::RefName::parse("refs/heads/main");
  put(made.branches, "refs/heads/main");
  put(made.branches, "refs/heads/other");
  put(made.tags, "refs/tags/v1");
  return made;
}

std::string body(const grasp::RepositoryCard& card) { return repository_page(card, home()).body; }

TEST(RepositoryPage, ShowsWhatARepositoryIs) {
  auto shown = card();
  shown.announcement.name = "My repo";
  shown.announcement.description = "line one\nline two";
  shown.announcement.topics = {"games"};
  shown.announcement.relays = {"wss://relay.example"};
  shown.state_since = 1'709'164'800;
  const auto response = repository_page(shown, home());
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.get("Cache-Control"), "no-cache");
  const std::string npub = nostr::nip19::npub(author(1));
  const std::vector<std::string> parts = {
      "<title>My repo - relay.example</title>",
      "<h1><bdi>My repo</bdi></h1>",
      "line one\nline two",
      "git clone https://relay.example/" + npub + "/my-repo.git",
      "git clone nostr://" + npub + "/relay.example/my-repo",
      "href=\"https://gitworkshop.dev/" + npub + "/relay.example/my-repo\"",
      "href=\"nostr:naddr1",
      "title=\"" + npub + "\"",
      "title=\"" + nostr::nip19::npub(author(2)) + "\"",
      "games",
      "wss://relay.example",
      kOid,
      "2023-11-14",
      "2024-02-29"};
  for (const std::string& part : parts) EXPECT_TRUE(holds(response.body, part)) << part;
  EXPECT_FALSE(holds(response.body, "Waiting for git data"));
}

TEST(RepositoryPage, FallsBackToTheIdentifier) {  // R1
  EXPECT_TRUE(holds(body(card()), "<h1><bdi>my-repo</bdi></h1>"));
}

TEST(RepositoryPage, SaysThatGitDataIsMissing) {  // R2
  auto waiting = card();
  waiting.place = grasp::Place::Waiting;
  waiting.branches.clear();
  EXPECT_TRUE(holds(body(waiting), "Waiting for git data"));
  EXPECT_TRUE(holds(body(waiting), "None yet."));
  EXPECT_TRUE(holds(body(waiting), "<code><bdi>main</bdi></code> (no commits yet)"));
}

TEST(RepositoryPage, MarksTheDefaultBranch) {  // R3
  const std::string mark = "<span class=\"mark\">default</span>";
  EXPECT_TRUE(holds(body(card()), "<bdi>main</bdi></code> " + mark));
  EXPECT_FALSE(holds(body(card()), "<bdi>other</bdi></code> " + mark));
  auto many = card();
  for (int i = 0; i < 1'000; ++i) put(many.branches, "refs/heads/b" + std::to_string(i));
  put(many.branches, "refs/heads/zzz");
  many.head = git::RefName::parse("refs/heads/zzz");
  EXPECT_TRUE(holds(body(many), "Default branch: <code><bdi>zzz</bdi></code></p>"));
  EXPECT_TRUE(holds(body(many), "and 953 more"));
  EXPECT_FALSE(holds(body(many), "<li><code><bdi>zzz"));
}

TEST(RepositoryPage, SaysWhyNobodyHasAuthority) {
  auto guest = card();
  guest.maintainers.clear();
  guest.no_authority = "its lead is <missing>";
  EXPECT_TRUE(holds(body(guest), "its lead is &lt;missing&gt;"));
}

TEST(RepositoryPage, ShowsHostileWordsAsText) {
  auto hostile = card("<script>'\"& x");
  auto& said = hostile.announcement;
  said.name = said.description = kScript;
  said.topics = said.web = said.relays = said.clone = {kScript, "javascript:alert(1)"};
  put(hostile.branches, "refs/heads/\"><script>alert(1)</script>");
  put(hostile.tags, "refs/tags/<img/src=x/onerror=alert(1)>");
  const std::string made = body(hostile);
  EXPECT_FALSE(holds(made, "<script"));
  EXPECT_FALSE(holds(made, "<img"));
  EXPECT_FALSE(holds(made, "href=\"javascript"));
  EXPECT_TRUE(holds(made, "/%3Cscript%3E%27%22%26%20x.git"));
}

TEST(RepositoryPage, StaysSmallWhateverIsAnnounced) {
  auto huge = card();
  huge.announcement.name = huge.announcement.description = std::string(500'000, '<');
  huge.announcement.web = std::vector<std::string>(5'000, std::string(1'000, '&'));
  huge.announcement.topics = huge.announcement.relays = huge.announcement.clone =
      huge.announcement.web;
  huge.maintainers = std::vector<nostr::PublicKey>(5'000, author(3));
  EXPECT_LT(body(huge).size(), 1'000'000u);
}

TEST(RepositoryPage, SaysWhenItsGitDataWasSyncedAndVerified) {  // R4
  auto shown = card();
  EXPECT_FALSE(holds(body(shown), "Git data"));
  shown.taken_at = 100'000;
  shown.health.emplace();
  EXPECT_TRUE(holds(body(shown), "<p>Not verified since it was added or changed.</p>"));
  shown.health->synced_at = 100'000 - 60;
  shown.health->verified_at = 100'000 - 7200;
  shown.health->compared = grasp::Comparison{"https://peer.example/", 100'000 - 600, ""};
  EXPECT_TRUE(holds(body(shown), "<p>Synced with the signed state 60 s ago.</p>")) << body(shown);
  EXPECT_TRUE(holds(body(shown), "<p>Verified, object by object, 2 h ago.</p>"));
  EXPECT_TRUE(holds(body(shown), "https://peer.example/</bdi></code> 10 min ago: the same."));
}

TEST(RepositoryPage, SaysWhatIsWrongWithItsGitData) {  // R4
  auto shown = card();
  shown.taken_at = 100'000;
  shown.health.emplace();
  shown.health->verified_at = 100'000 - 7200;
  shown.health->behind = "a newer state waits";
  shown.health->problem = kScript;
  EXPECT_TRUE(
      holds(body(shown), "Not synced with the signed state: <bdi>a newer state waits</bdi>."));
  EXPECT_TRUE(holds(body(shown), "&lt;script&gt;")) << body(shown);
  EXPECT_TRUE(holds(body(shown), " Last OK 2 h ago.</p>"));
  EXPECT_FALSE(holds(body(shown), kScript));
}

TEST(RepositoryPage, SaysWhatOfItIsLookedFor) {  // R4
  auto shown = card();
  shown.taken_at = sync::testing::kTakenAt;
  auto fetch = sync::testing::fetched("tool");
  fetch.sources[0].url = kScript;
  const std::string made = repository_page(shown, home(), {fetch}).body;
  EXPECT_TRUE(holds(made, "<h2>Git data</h2>")) << made;
  EXPECT_TRUE(holds(made,
                    "Searching for git data for 5 min: <bdi>9 objects: bbbbbbbbbb, …</bdi>, "
                    "needed by <bdi>state aaaaaaaaaa</bdi>. Next try: <bdi>in progress</bdi>."));
  EXPECT_TRUE(holds(made, "https://b.example/x.git: no such repository (20 s ago)</bdi>"));
  EXPECT_FALSE(holds(made, kScript));
}

TEST(RepositoryPage, DoesNotLetADirectionEscapeItsName) {
  auto turned = card("\u202Egpj");
  turned.announcement.name = "شعار\u202E";
  EXPECT_FALSE(holds(body(turned), "\u202E"));
  EXPECT_TRUE(holds(body(turned), "<h1><bdi>شعار</bdi></h1>"));
}

TEST(RepositoryPage, IsMissedWithAWayBack) {
  const auto response = missing_repository_page("/grasp/npub1x/<script>.git", home("/grasp"));
  EXPECT_EQ(response.status, 404);
  EXPECT_FALSE(holds(response.body, "<script>"));
  EXPECT_TRUE(holds(response.body, "&lt;script&gt;.git"));
  EXPECT_TRUE(holds(response.body, "<a href=\"/grasp\">"));
}

}  // namespace repository_page_test
}  // namespace graspd::web
