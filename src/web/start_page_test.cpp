#include "web/start_page.h"

#include <gtest/gtest.h>

#include "nostr/nip19.h"
#include "web/pages_testing.h"

namespace graspd::web {
namespace start_page_test {

using testing::author;
using testing::holds;
using testing::home;
using testing::kScript;

relay::Identity identity() {
  return {.name = "A <b>relay</b>", .description = "for \"tests\"", .version = "1.2.3"};
}

grasp::RepositoryLine line(std::string_view identifier, std::string name,
                           std::string description = {}) {
  return {{author(1), *grasp::Identifier::parse(identifier)},
          std::move(name),
          std::move(description),
          1'700'000'000};
}

TEST(StartPage, EscapesTheOperatorsWords) {
  const auto response = start_page(identity(), home());
  EXPECT_EQ(response.status, 200);
  EXPECT_FALSE(holds(response.body, "<b>relay"));
  EXPECT_TRUE(holds(response.body, "<title>A &lt;b&gt;relay&lt;/b&gt;</title>"));
  EXPECT_TRUE(holds(response.body, "for &quot;tests&quot;"));
  EXPECT_TRUE(holds(response.body, "wss://relay.example"));
  EXPECT_TRUE(holds(response.body, nostr::nip19::npub(nostr::PublicKey())));
  EXPECT_FALSE(holds(response.body, "Repositories"));
}

TEST(StartPage, OfAPrivateServiceTellsOfNothingHosted) {
  const auto response = private_start_page(identity(), home());
  EXPECT_EQ(response.status, 200);
  EXPECT_TRUE(holds(response.body, "GRASP-08"));
  EXPECT_FALSE(holds(response.body, "Repositories"));
}

TEST(StartPage, SaysHowTheOperatorIsReached) {
  const auto body = [](std::string contact) {
    relay::Identity card = identity();
    card.contact = std::move(contact);
    EXPECT_TRUE(holds(start_page(card, home(), Hosted()).body, "Contact: ") ||
                card.contact.empty());
    return start_page(card, home()).body;
  };
  EXPECT_TRUE(holds(body("mailto:op@example.org"),
                    "Contact: <a href=\"mailto:op@example.org\" rel=\"nofollow noopener\">"
                    "<bdi>op@example.org</bdi></a>"));
  EXPECT_TRUE(holds(body("https://example.org/us"), "href=\"https://example.org/us\""));
  EXPECT_TRUE(holds(body("ask <b>me"), "ask &lt;b&gt;me"));
  EXPECT_FALSE(holds(body("javascript:alert(1)"), "href=\"javascript"));
  EXPECT_FALSE(holds(body(""), "Contact"));
}

TEST(StartPage, SaysHowARepositoryGetsHere) {
  const auto body = start_page(identity(), home("/grasp"), Hosted()).body;
  EXPECT_TRUE(holds(body, "https://relay.example/grasp/&lt;npub&gt;/&lt;identifier&gt;.git"));
  EXPECT_TRUE(holds(body, "None yet."));
  EXPECT_TRUE(holds(body, "href=\"/grasp/icon.png\""));
}

TEST(StartPage, ListsWhatIsHosted) {
  const Hosted hosted{{line("one", "The first", "does things"), line("two", "")}, 2};
  const auto body = start_page(identity(), home("/grasp"), hosted).body;
  const std::string npub = nostr::nip19::npub(author(1));
  EXPECT_TRUE(holds(body, "<a href=\"/grasp/" + npub + "/one.git\"><bdi>The first</bdi></a>"));
  EXPECT_TRUE(holds(body, "/two.git\"><bdi>two</bdi></a>"));
  EXPECT_TRUE(holds(body, "does things"));
  EXPECT_TRUE(holds(body, "2023-11-14"));
  EXPECT_FALSE(holds(body, "The newest"));
  EXPECT_TRUE(
      holds(start_page(identity(), home(), {hosted.lines, 10'000}).body, "The newest 2 of 10000."));
}

TEST(StartPage, LeadsToSyncWhereThereIsSome) {
  const auto body = start_page(identity(), home("/grasp"), Hosted(), "complete").body;
  EXPECT_TRUE(holds(body, "<a href=\"/grasp/sync\">Sync with other relays</a>: complete"));
  EXPECT_FALSE(holds(start_page(identity(), home(), Hosted()).body, "Sync with"));
}

TEST(StartPage, SaysThatNothingIsStored) {
  const auto note = "<p class=\"note\">This server is low on disk space: &lt;1&gt;.</p>";
  EXPECT_TRUE(holds(start_page(identity(), home(), "low on disk space: <1>").body, note));
  const auto body = start_page(identity(), home(), Hosted(), "", "low on disk space: <1>").body;
  EXPECT_TRUE(holds(body, note));
  EXPECT_FALSE(holds(start_page(identity(), home(), Hosted()).body, "note\">"));
}

TEST(StartPage, ShowsHostileNamesAsText) {
  const Hosted hosted{{line("<script>'\"", kScript, kScript)}, 1};
  const auto body = start_page(identity(), home(), hosted).body;
  EXPECT_FALSE(holds(body, "<script"));
  EXPECT_TRUE(holds(body, "%3Cscript%3E%27%22.git"));
}

}  // namespace start_page_test
}  // namespace graspd::web
