#include "app/import_ngit/import_ngit.h"

#include <fstream>
#include <gtest/gtest.h>

#include "app/base/temporary_folder_testing.h"
#include "app/database/database.h"
#include "app/database/database_commands.h"
#include "app/import_ngit/ngit_testing.h"
#include "gitio/repositories_testing.h"
#include "grasp/coordinate.h"
#include "nostr/nip19.h"
#include "nostr/serialize.h"
#include "nostr/signature.h"

namespace graspd::app {
namespace import_ngit_test {

namespace fs = std::filesystem;
using gitio::testing::commit;
using gitio::testing::git;
using gitio::testing::make_repository;
using gitio::testing::set_ref;

nostr::Keypair keypair(std::uint8_t number) {
  nostr::SecretKey::Bytes bytes{};
  bytes.back() = number;
  return *nostr::Keypair::from(nostr::SecretKey(bytes));
}
nostr::Event signed_event(std::uint8_t by, std::uint16_t kind, nostr::Tags tags = {}) {
  nostr::Event event;
  event.kind = {kind};
  event.created_at = 1'700'000'000;
  event.tags = std::move(tags);
  keypair(by).sign(event, {});
  return event;
}
std::string npub(std::uint8_t number) { return nostr::nip19::npub(keypair(number).public_key()); }

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

// old/.relay-owner.nsec, old/data/relay and old/data/git, as ngit-grasp has them.
class NgitImportTest : public ::testing::Test {
 protected:
  NgitImportTest() : inside_(folder.path()), events((old / "relay").string()) {
    fs::create_directories(old / "git");
    settings.relay_data_path = (folder.path() / "new" / "relay").string();
    settings.git_data_path = (folder.path() / "new" / "git").string();
  }

  int import(bool commit) {
    ::testing::internal::CaptureStdout();
    const int code =
        import_from_ngit(settings, {(old / "relay").string(), (old / "git").string(), commit});
    said = ::testing::internal::GetCapturedStdout();
    return code;
  }
  std::string exported() {
    EXPECT_EQ(export_events(settings, {(folder.path() / "out").string(), ""}), 0);
    return text_of(folder.path() / "out");
  }
  std::vector<std::string> notes(std::string_view prefix) {
    std::vector<std::string> keys;
    const auto store = open_database(settings, Access::Read);
    EXPECT_TRUE(
        (*(*store)->snapshot())->notes(prefix, [&](auto key, auto) { keys.emplace_back(key); }));
    return keys;
  }
  fs::path ours(std::uint8_t owner, const std::string& name) const {
    return fs::path(settings.git_data_path) / npub(owner) / (name + ".git");
  }

  TemporaryFolder folder;
  InFolder inside_;
  const fs::path old = folder.path() / "old" / "data";
  lmdb::testing::NgitWriter events;
  Settings settings;
  std::string said;
};

TEST_F(NgitImportTest, SaysWhatItWouldDoAndWritesNothing) {  // R1
  events.put(signed_event(1, 30'617, {{"d", "x"}}));
  events.put(signed_event(1, 1));
  const fs::path from = make_repository(old / "git" / npub(1) / "x.git");
  set_ref(from, "refs/heads/main", commit(from, "a"));
  EXPECT_EQ(import(false), 0) << said;
  EXPECT_NE(said.find("kind 30617: 1\n"), std::string::npos) << said;
  EXPECT_NE(said.find(npub(1) + "/x.git: 1 ref\n"), std::string::npos) << said;
  EXPECT_NE(said.find("nothing was written"), std::string::npos) << said;
  EXPECT_FALSE(fs::exists(folder.path() / "new"));
}

TEST_F(NgitImportTest, TakesEventsAndNamesBadOnes) {  // R2, R6
  const auto good = signed_event(1, 1);
  auto forged = signed_event(2, 1);
  forged.sig = good.sig;
  events.put(good);
  events.put(forged);
  events.put(nullptr, signed_event(3, 1).id.bytes(), {});
  events.put(signed_event(4, 9907));
  EXPECT_EQ(import(true), 1);
  EXPECT_NE(said.find("2 events, 1 bad, 1 unreadable, 1 of its own left behind; 1 stored"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("the signature is wrong"), std::string::npos) << said;
  EXPECT_EQ(exported(), nostr::to_json(good) + "\n");
}

TEST_F(NgitImportTest, TakesWhatWasDeletedThere) {
  const auto gone = signed_event(1, 1);
  const auto asked_for = signed_event(2, 1);
  const auto request = signed_event(2, 5, {{"e", asked_for.id.hex()}});
  events.put("deleted-ids", gone.id.bytes(), {});
  lmdb::testing::NgitWriter((old / "relay" / "tombstones").string()).put(request);
  EXPECT_EQ(import(true), 0) << said;
  const auto store = open_database(settings, Access::Read);
  for (const auto& event : {gone, asked_for}) {
    const nostr::WireEvent wire{event, nostr::to_json(event)};
    EXPECT_EQ(*(*(*store)->snapshot())->judge(wire, event.created_at), store::Outcome::Deleted);
  }
}

TEST_F(NgitImportTest, TakesRepositoriesWithTheirOwnObjects) {  // R3
  const fs::path from = make_repository(old / "git" / npub(1) / "x.git");
  const auto tip = commit(from, "a");
  const auto unreached = commit(from, "b");
  set_ref(from, "refs/heads/main", tip);
  set_ref(from, "refs/nostr/" + std::string(64, 'a'), tip);
  git(from, {"symbolic-ref", "HEAD", "refs/heads/main"});
  EXPECT_EQ(import(true), 0) << said;
  const fs::path to = ours(1, "x");
  EXPECT_EQ(git(to, {"rev-parse", "HEAD", "refs/nostr/" + std::string(64, 'a')}),
            tip.hex() + "\n" + tip.hex());
  EXPECT_FALSE(gitio::testing::holds(to, unreached));
  git(to, {"fsck", "--strict"});
  EXPECT_EQ(import(true), 0);
  EXPECT_NE(said.find("x.git: here already, with 2 refs"), std::string::npos) << said;
}

TEST_F(NgitImportTest, TakesRepositoriesWithoutWhatOthersKeepInTheirGroup) {  // R3
  const fs::path group = make_repository(old / "git" / ".grasp" / "families" / "sha1" / "x.git");
  const auto tip = commit(group, "a");
  const auto of_another = commit(group, "b");
  const fs::path repo = make_repository(old / "git" / npub(1) / "x.git");
  write(repo / "packed-refs", tip.hex() + " refs/heads/main\n");
  write(repo / "objects" / "info" / "alternates", "/where/it/was/before/x.git/objects\n");
  EXPECT_EQ(import(true), 0) << said;
  EXPECT_EQ(git(ours(1, "x"), {"rev-parse", "refs/heads/main"}), tip.hex());
  git(ours(1, "x"), {"fsck", "--strict"});
  EXPECT_FALSE(gitio::testing::holds(ours(1, "x"), of_another));
  EXPECT_FALSE(fs::exists(ours(1, "x") / "objects" / "info" / "alternates"));
}

TEST_F(NgitImportTest, TakesTheOthersWhenARepositoryIsBroken) {  // R6
  const fs::path broken = make_repository(old / "git" / npub(1) / "broken.git");
  write(broken / "packed-refs", std::string(40, '7') + " refs/heads/main\n");
  const fs::path whole = make_repository(old / "git" / npub(2) / "whole.git");
  set_ref(whole, "refs/heads/main", commit(whole, "a"));
  EXPECT_EQ(import(true), 1) << said;
  EXPECT_NE(said.find("broken.git: not taken: "), std::string::npos) << said;
  EXPECT_NE(said.find("2 repositories, 1 not taken"), std::string::npos) << said;
  git(ours(2, "whole"), {"rev-parse", "refs/heads/main"});
}

TEST_F(NgitImportTest, TakesWhatWaits) {  // R4
  const auto entry = [](const nostr::Event& event) {
    return R"({"event":)" + nostr::to_json(event) +
           R"(,"expires_at_offset_secs":60,"source":"Direct"})";
  };
  const auto announcement =
      signed_event(1, 30'617, {{"d", "x"}, {"clone", "http://a.example/x.git"}});
  write(old / "git" / "purgatory-state.json",
        R"({"version":1,"saved_at":{"secs_since_epoch":1,"nanos_since_epoch":0},)"
        R"("announcement_purgatory":{"k":)" +
            entry(announcement) + R"(},"state_events":{"x":[)" +
            entry(signed_event(1, 30'618, {{"d", "x"}})) + "]}}");
  write(old / "git" / ".grasp" / "pending-saves" / "a.json",
        R"({"version":1,"event":)" + nostr::to_json(signed_event(3, 1)) + "}");
  EXPECT_EQ(import(true), 0) << said;
  EXPECT_NE(said.find("waiting for git data: 2"), std::string::npos) << said;
  EXPECT_EQ(notes("purgatory/").size(), 2u);
  EXPECT_EQ(exported(), nostr::to_json(signed_event(3, 1)) + "\n");
}

TEST_F(NgitImportTest, TakesSupersededVersionsAndWhatItHolds) {  // R7
  lmdb::testing::NgitWriter history((old / "relay" / "replaceable-history").string());
  const auto state = signed_event(1, 30'618, {{"d", "x"}});
  history.put(state);
  history.put(signed_event(8, 9906));
  lmdb::testing::NgitWriter holding((old / "relay" / "holding").string());
  const auto gone = signed_event(1, 30'617, {{"d", "gone"}});
  const std::string address = "30617:" + keypair(1).public_key().hex() + ":gone";
  const auto issue = signed_event(2, 1621, {{"a", address}});
  const auto comment = signed_event(3, 1111, {{"E", issue.id.hex()}});
  for (const auto& event : {gone, issue, comment, signed_event(1, 30'618, {{"d", "gone"}}),
                            signed_event(4, 1), signed_event(8, 9905)})
    holding.put(event);
  EXPECT_EQ(import(true), 0) << said;
  EXPECT_NE(said.find("superseded versions: 1; of deleted repositories: 3 events of 1 repository"),
            std::string::npos)
      << said;
  EXPECT_EQ(notes("history/30618/").size(), 1U);
  EXPECT_EQ(notes("threads/").size(), 1U);
  const std::string held = "held/" + keypair(1).public_key().hex() + "/gone/";
  EXPECT_EQ(notes(held).size(), 3U);
  EXPECT_EQ(notes(held + comment.id.hex()).size(), 1U);
  EXPECT_EQ(exported(), "");
}

TEST_F(NgitImportTest, TakesItsKeyUnlessThereIsOne) {  // R5
  const std::string key = nostr::nip19::nsec(nostr::SecretKey(nostr::SecretKey::Bytes{1})) + "\n";
  write(old.parent_path() / ".relay-owner.nsec", key);
  EXPECT_EQ(import(false), 0) << said;
  EXPECT_FALSE(fs::exists(".relay-owner.nsec"));
  EXPECT_EQ(import(true), 0) << said;
  EXPECT_EQ(text_of(".relay-owner.nsec"), key);
  EXPECT_NE(said.find("is ours now\n"), std::string::npos) << said;
  EXPECT_EQ(import(true), 0);  // the same key is no reason to speak of another
  EXPECT_NE(said.find("is ours already\n"), std::string::npos) << said;
  write(old.parent_path() / ".relay-owner.nsec",
        nostr::nip19::nsec(nostr::SecretKey(nostr::SecretKey::Bytes{2})));
  EXPECT_EQ(import(true), 0) << said;
  EXPECT_EQ(text_of(".relay-owner.nsec"), key);
}

TEST_F(NgitImportTest, RefusesToWriteIntoTheSource) {
  settings.git_data_path = (old / "git" / ".." / "git").string();
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(import(true), 1);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("move the old folder away"),
            std::string::npos);
}

}  // namespace import_ngit_test
}  // namespace graspd::app
