#include "app/client/drafts.h"

#include <gtest/gtest.h>

#include "app/client/client_commands.h"
#include "grasp/announcement.h"
#include "grasp/repo_state.h"
#include "nostr/nip19.h"
#include "nostr/serialize.h"

namespace graspd::app {
namespace drafts_test {

nostr::Keypair keypair() {
  nostr::SecretKey::Bytes bytes{};
  bytes.back() = 1;
  return *nostr::Keypair::from(nostr::SecretKey(bytes));
}
const std::string kNpub = nostr::nip19::npub(keypair().public_key());

nostr::RelayUrl relay(std::string_view text) { return *nostr::RelayUrl::parse(text); }
grasp::Identifier named(std::string_view text) { return *grasp::Identifier::parse(text); }
git::Oid oid(char digit) { return *git::Oid::parse(std::string(40, digit)); }
git::RefName ref(std::string_view text) { return *git::RefName::parse(text); }

AnnouncementRequest wish(const AnnounceOptions& options,
                         std::string_view url = "ws://127.0.0.1:7334") {
  auto made = announcement_request(options, relay(url), keypair().public_key());
  EXPECT_TRUE(made) << made.error();
  return *made;
}

TEST(Drafts, AnnounceTheRelaysOwnServerUnlessToldOtherwise) {
  AnnounceOptions options;
  options.identifier = "my tool";
  EXPECT_EQ(announcement_draft(wish(options)).tags,
            (nostr::Tags{{"d", "my tool"},
                         {"clone", "http://127.0.0.1:7334/" + kNpub + "/my%20tool.git"},
                         {"relays", "ws://127.0.0.1:7334"}}));
}

TEST(Drafts, AnnounceWhatIsSaid) {
  AnnounceOptions options;
  options.identifier = "tool";
  options.name = "A tool";
  options.description = "Does things";
  options.clone = {"https://a.example/x.git", "https://b.example/x.git"};
  options.relays = {"wss://a.example", "wss://b.example"};
  options.web = {"https://tool.example"};
  options.topics = {"tools", "things"};
  options.earliest_unique_commit = std::string(40, 'c');
  options.maintainers = {kNpub};
  const auto draft = announcement_draft(wish(options));
  EXPECT_EQ(draft.kind, nostr::Kind{30617});
  EXPECT_EQ(draft.tags,
            (nostr::Tags{{"d", "tool"},
                         {"name", "A tool"},
                         {"description", "Does things"},
                         {"web", "https://tool.example"},
                         {"clone", "https://a.example/x.git", "https://b.example/x.git"},
                         {"relays", "wss://a.example", "wss://b.example"},
                         {"maintainers", keypair().public_key().hex()},
                         {"r", std::string(40, 'c'), "euc"},
                         {"t", "tools"},
                         {"t", "things"}}));
  EXPECT_TRUE(grasp::parse_announcement(signed_event(draft, keypair(), 7)));
}

TEST(Drafts, RefuseAMaintainerWhoIsNobody) {
  AnnounceOptions options;
  options.identifier = "tool";
  options.maintainers = {"alice"};
  const auto made = announcement_request(options, relay("wss://a.example"), keypair().public_key());
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().find("npub1"), std::string::npos);
}

TEST(Drafts, StateWhereRefsAre) {
  const git::Refs refs = {{ref("refs/heads/main"), oid('a')}, {ref("refs/tags/v1"), oid('b')}};
  const auto draft = state_draft(named("tool"), refs, ref("refs/heads/main"));
  EXPECT_EQ(draft.kind, nostr::Kind{30618});
  EXPECT_EQ(draft.tags, (nostr::Tags{{"d", "tool"},
                                     {"refs/heads/main", std::string(40, 'a')},
                                     {"refs/tags/v1", std::string(40, 'b')},
                                     {"HEAD", "ref: refs/heads/main"}}));
  const auto read = grasp::parse_state(signed_event(draft, keypair(), 7));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->refs, refs);
  EXPECT_FALSE(state_draft(named("tool"), refs, ref("refs/heads/other")).tags.first("HEAD"));
}

TEST(Drafts, ComeWithThePushThatTheyAllow) {
  git::Refs refs = {{ref("refs/heads/main"), oid('a')}};
  EXPECT_EQ(push_command("http://a/b.git", refs, true), "git push http://a/b.git main");
  refs = {{ref("refs/heads/it's"), oid('a')}, {ref("refs/tags/v1"), oid('b')}};
  EXPECT_EQ(push_command("u", refs, true), "git push u 'it'\\''s' v1");
  refs = {{ref("refs/heads/v1"), oid('a')}, {ref("refs/tags/v1"), oid('b')}};
  EXPECT_EQ(push_command("u", refs, true), "git push u refs/heads/v1 refs/tags/v1");
  for (const char* const name : {"a", "b", "c", "d", "e", "f", "g"})
    refs.emplace(*git::RefName::parse(std::string("refs/heads/") + name), oid('c'));
  EXPECT_EQ(push_command("u", refs, true),
            "git push u 'refs/heads/*' '^refs/heads/pr/*' 'refs/tags/*'");
  EXPECT_EQ(push_command("u", refs, false), "git push u a b c d e f g refs/heads/v1 refs/tags/v1");
}

TEST(Drafts, OpenAnIssueAtARepository) {
  const auto draft =
      issue_draft({{keypair().public_key(), named("tool")}, "A bug", "text", {"bug"}});
  EXPECT_EQ(draft.kind, nostr::Kind{1621});
  EXPECT_EQ(draft.content, "text");
  const std::string key = keypair().public_key().hex();
  EXPECT_EQ(draft.tags,
            (nostr::Tags{
                {"a", "30617:" + key + ":tool"}, {"p", key}, {"subject", "A bug"}, {"t", "bug"}}));
}

TEST(Drafts, KnowWhereAServerHostsARepository) {
  const grasp::Coordinate repository{keypair().public_key(), named("t")};
  const std::string path = "/" + kNpub + "/t.git";
  EXPECT_EQ(clone_url(relay("ws://a.example:80"), repository), "http://a.example" + path);
  EXPECT_EQ(clone_url(relay("wss://a.example/base"), repository), "https://a.example/base" + path);
  EXPECT_EQ(clone_url(relay("wss://[2001:db8::1]:8443"), repository),
            "https://[2001:db8::1]:8443" + path);
}

TEST(Drafts, FindTheRepositoryInEveryUsualSpelling) {
  const grasp::Coordinate repository{keypair().public_key(), named("my tool")};
  const std::string naddr = *nostr::nip19::encode(
      nostr::nip19::AddressPointer{repository.announcement_address(), {"wss://a.example"}});
  for (const std::string& text :
       {naddr, "nostr:" + naddr, "nostr://" + naddr, kNpub + "/my tool",
        "nostr://" + kNpub + "/my tool", keypair().public_key().hex() + "/my tool",
        repository.announcement_address().text(),
        "https://a.example/base/" + kNpub + "/my%20tool.git"}) {
    const auto found = parse_repository(text);
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(*found, repository) << text;
  }
}

TEST(Drafts, SayHowARepositoryIsWritten) {
  for (const std::string& text : {std::string("tool"), kNpub, kNpub + "/", std::string("x/tool"),
                                  "30618:" + keypair().public_key().hex() + ":tool",
                                  "https://a.example/" + kNpub + "/tool"}) {
    const auto found = parse_repository(text);
    ASSERT_FALSE(found) << text;
    EXPECT_NE(found.error().find("npub1…/identifier"), std::string::npos);
  }
}

TEST(Drafts, AreSignedWithTheTimeTheyNameOrNow) {
  nostr::Draft draft{.kind = {1}, .content = "hi"};
  nostr::Event event = signed_event(draft, keypair(), 100);
  EXPECT_EQ(event.created_at, 100);
  EXPECT_TRUE(nostr::id_is_right(event));
  EXPECT_TRUE(nostr::signature_is_right(event));
  draft.created_at = 7;
  EXPECT_EQ(signed_event(draft, keypair(), 100).created_at, 7);
}

}  // namespace drafts_test
}  // namespace graspd::app
