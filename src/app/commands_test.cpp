// The commands that work on a database, one after the other, as an operator would use them.
#include <fstream>
#include <gtest/gtest.h>

#include "app/base/temporary_folder_testing.h"
#include "app/database/database_commands.h"
#include "nostr/serialize.h"
#include "nostr/signature.h"

namespace graspd::app {
namespace commands_test {

std::string note(const std::string& content) {
  nostr::SecretKey::Bytes bytes{};
  bytes.back() = 1;
  nostr::Event event;
  event.kind = {1};
  event.created_at = 1'700'000'000;
  event.content = content;
  nostr::Keypair::from(nostr::SecretKey(bytes))->sign(event, {});
  return nostr::to_json(event) + "\n";
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// What the commands say is not under test here, except where a test looks at it.
class CommandsTest : public ::testing::Test {
 protected:
  CommandsTest() {
    settings.relay_data_path = in_folder("relay");
    ::testing::internal::CaptureStderr();
    ::testing::internal::CaptureStdout();
  }
  ~CommandsTest() override {
    ::testing::internal::GetCapturedStderr();
    ::testing::internal::GetCapturedStdout();
  }
  std::string in_folder(const std::string& name) const { return (folder.path() / name).string(); }
  int import(const std::string& text) {
    std::ofstream(in_folder("in.jsonl")) << text;
    return import_events(settings, {in_folder("in.jsonl")});
  }
  std::string exported(const std::string& filter = "") {
    EXPECT_EQ(export_events(settings, {in_folder("out.jsonl"), filter}), 0);
    return text_of(in_folder("out.jsonl"));
  }

  TemporaryFolder folder;
  Settings settings;
};

TEST_F(CommandsTest, ExportWhatTheyImported) {
  EXPECT_EQ(import(note("a") + note("b")), 0);
  EXPECT_EQ(exported(), note("a") + note("b"));
  EXPECT_EQ(exported(R"({"kinds":[7]})"), "");
}

TEST_F(CommandsTest, SayByExitCodeThatALineWasBad) {  // R3 of app/database/database_commands.h
  EXPECT_EQ(import(note("a") + "rubbish\n"), 1);
  EXPECT_EQ(exported(), note("a"));
}

TEST_F(CommandsTest, FindASoundDatabaseSound) {
  EXPECT_EQ(import(note("a")), 0);
  EXPECT_EQ(check_database(settings, {.signatures = true}), 0);
}

TEST_F(CommandsTest, KeepEverythingWhenTheyCompact) {
  EXPECT_EQ(import(note("a")), 0);
  EXPECT_EQ(compact_database(settings, {}), 0);
  EXPECT_EQ(exported(), note("a"));
}

TEST_F(CommandsTest, MakeABackupThatIsADatabase) {
  EXPECT_EQ(import(note("a")), 0);
  EXPECT_EQ(backup_database(settings, {in_folder("copy")}), 0);
  EXPECT_EQ(backup_database(settings, {in_folder("copy")}), 1);  // it is one now
  settings.relay_data_path = in_folder("copy");
  EXPECT_EQ(exported(), note("a"));
}

TEST_F(CommandsTest, FailWhereThereIsNothing) {
  EXPECT_EQ(export_events(settings, {in_folder("out.jsonl"), ""}), 1);
  EXPECT_EQ(check_database(settings, {}), 1);
  EXPECT_EQ(compact_database(settings, {}), 1);
  EXPECT_EQ(import_events(settings, {in_folder("missing.jsonl")}), 1);
  EXPECT_EQ(export_events(settings, {in_folder("out.jsonl"), "{\"kinds\":7}"}), 1);
  settings.backend = Backend::Memory;
  EXPECT_EQ(import(note("a")), 1);
}

}  // namespace commands_test
}  // namespace graspd::app
