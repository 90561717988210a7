#include "app/cli.h"

#include <gtest/gtest.h>

#include "app/base/exit_code.h"

namespace graspd::app {
namespace cli_test {

using Arguments = std::vector<std::string>;

Invocation invocation(const Arguments& arguments) {
  auto parsed = parse_command_line(arguments);
  if (const auto* answer = std::get_if<Answer>(&parsed)) {
    ADD_FAILURE() << answer->text;
    return {};
  }
  return std::get<Invocation>(parsed);
}
Answer answer(const Arguments& arguments) {
  auto parsed = parse_command_line(arguments);
  if (std::holds_alternative<Invocation>(parsed)) {
    ADD_FAILURE() << "it was understood";
    return {};
  }
  return std::get<Answer>(parsed);
}
template <class Options>
Options command(const Arguments& arguments) {
  const Command parsed = invocation(arguments).command;
  EXPECT_TRUE(std::holds_alternative<Options>(parsed));
  return std::holds_alternative<Options>(parsed) ? std::get<Options>(parsed) : Options{};
}

TEST(Cli, ServesUnlessToldOtherwise) {
  command<ServeOptions>({});
  command<ServeOptions>({"serve"});
  command<ServeOptions>({"--test", "serve"});
}

TEST(Cli, UnderstandsEveryCommand) {
  EXPECT_EQ(command<ImportOptions>({"import"}).file, "");
  EXPECT_EQ(command<ImportOptions>({"import", "a.jsonl"}).file, "a.jsonl");
  EXPECT_EQ(command<ImportOptions>({"import", "-"}).file, "-");
  const auto ngit = command<ImportOptions>({"import", "--from-ngit", "r", "g", "--commit"});
  EXPECT_EQ(ngit.from_ngit, (Arguments{"r", "g"}));
  EXPECT_TRUE(ngit.commit);
  EXPECT_EQ(command<ExportOptions>({"export", "a.jsonl"}).file, "a.jsonl");
  EXPECT_EQ(command<ExportOptions>({"export", "--filter", "{}"}).filter, "{}");
  EXPECT_FALSE(command<CheckOptions>({"check"}).signatures);
  EXPECT_TRUE(command<CheckOptions>({"check", "--signatures"}).signatures);
  command<CompactOptions>({"compact"});
  EXPECT_EQ(command<BackupOptions>({"backup", "/tmp/b"}).directory, "/tmp/b");
  EXPECT_FALSE(command<ConfigOptions>({"config"}).markdown);
  command<CheckConfigOptions>({"--check-config"});
  command<CheckConfigOptions>({"serve", "--check-config"});
}

TEST(Cli, UnderstandsTheCommandsOfSync) {
  EXPECT_FALSE(command<StatusOptions>({"status"}).json);
  EXPECT_TRUE(command<StatusOptions>({"status", "--health"}).health);
  const auto status = command<StatusOptions>({"status", "--json", "--url", "http://a.example"});
  EXPECT_TRUE(status.json);
  EXPECT_EQ(status.url, "http://a.example");
  const auto retry =
      command<SyncRetryOptions>({"sync", "retry", "wss://r.example", "--url", "http://a.example"});
  EXPECT_EQ(retry.relay, "wss://r.example");
  EXPECT_EQ(retry.url, "http://a.example");
  EXPECT_EQ(answer({"sync", "retry"}).code, kUsageError);
}

TEST(Cli, UnderstandsASyncWithAnyRelay) {
  const auto sync = command<SyncOptions>({"sync", "wss://r.example", "--filter", "{}", "--filter",
                                          R"({"kinds":[1]})", "--both", "--dry-run", "--json",
                                          "--inactivity-limit", "5"});
  EXPECT_EQ(sync.url, "wss://r.example");
  EXPECT_EQ(sync.filters.size(), 2U);
  EXPECT_TRUE(sync.both && sync.dry_run && sync.json && !sync.down && !sync.up);
  EXPECT_EQ(sync.inactivity_limit, 5U);
  EXPECT_EQ(command<SyncOptions>({"sync", "wss://r.example", "--down"}).inactivity_limit, 60U);
  EXPECT_EQ(answer({"sync"}).code, kUsageError);
  EXPECT_EQ(answer({"sync", "wss://r.example", "--inactivity-limit", "x"}).code, kUsageError);
}

TEST(Cli, UnderstandsEveryClientCommand) {
  EXPECT_TRUE(command<KeyOptions>({"key", "--new"}).make_new);
  EXPECT_EQ(command<KeyOptions>({"key", "--file", "k"}).key_file, "k");
  EXPECT_EQ(command<KeyOptions>({"key", "--key-file", "k"}).key_file, "k");

  const auto announced =
      command<AnnounceOptions>({"announce", "--clone", "a", "--clone", "b", "tool", "--maintainer",
                                "npub1x", "--relay", "wss://r.example", "--name", "A tool"});
  EXPECT_EQ(announced.identifier, "tool");
  EXPECT_EQ(announced.clone, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(announced.maintainers, std::vector<std::string>{"npub1x"});
  EXPECT_EQ(announced.client.relay, "wss://r.example");
  EXPECT_EQ(announced.name, "A tool");

  const auto state =
      command<StateOptions>({"state", "--branch", "main", "--branch", "dev", "tool", "--no-tags"});
  EXPECT_EQ(state.identifier, "tool");
  EXPECT_EQ(state.branches, (std::vector<std::string>{"main", "dev"}));
  EXPECT_EQ(state.repository, ".");
  EXPECT_EQ(state.client.relay, "ws://127.0.0.1:7334");

  const auto issue = command<IssueOptions>({"issue", "npub1x/tool", "--subject", "s", "the text"});
  EXPECT_EQ(issue.repository, "npub1x/tool");
  EXPECT_EQ(issue.text, "the text");
  EXPECT_EQ(command<IssueOptions>({"issue", "a", "--subject", "s"}).text, std::nullopt);

  EXPECT_TRUE(command<PublishOptions>({"publish", "--sign", "--key-file", "k"}).sign);
  const auto read = command<ReadOptions>({"read", "{\"kinds\":[1]}", "--limit", "3", "--follow"});
  EXPECT_EQ(read.filter, "{\"kinds\":[1]}");
  EXPECT_EQ(read.limit, 3U);
  EXPECT_TRUE(read.follow);
}

TEST(Cli, TakesSettingsBeforeAndAfterTheCommand) {
  const auto parsed =
      invocation({"--domain", "a.org", "import", "--relay-data-path=/x", "f", "--test"});
  std::map<std::string_view, std::string> flags;
  for (const auto& [setting, value] : parsed.flags) flags[setting->name] = value;
  EXPECT_EQ(flags.size(), 3U);
  EXPECT_EQ(flags["DOMAIN"], "a.org");
  EXPECT_EQ(flags["RELAY_DATA_PATH"], "/x");
  EXPECT_EQ(flags["TEST"], "true");
}

TEST(Cli, TakesASwitchWithAndWithoutAValue) {
  EXPECT_EQ(invocation({"--compression", "off"}).flags.front().second, "off");
  EXPECT_EQ(invocation({"--compression=false", "serve"}).flags.front().second, "false");
  EXPECT_EQ(invocation({"--compression"}).flags.front().second, "true");
}

TEST(Cli, LetsTheLastOfARepeatedFlagWin) {
  EXPECT_EQ(invocation({"--domain", "a", "--domain", "b"}).flags.front().second, "b");
}

TEST(Cli, FindsTheConfigurationFile) {
  EXPECT_EQ(invocation({"--config", "f.conf"}).config_path, "f.conf");
  EXPECT_EQ(invocation({"serve", "--config", "f.conf"}).config_path, "f.conf");
  EXPECT_EQ(invocation({}).config_path, std::nullopt);
}

TEST(Cli, TellsItsVersion) {
  EXPECT_EQ(answer({"--version"}).code, 0);
  EXPECT_TRUE(answer({"-V"}).text.starts_with("graspd "));
}

TEST(Cli, HelpsWithEverythingAndWithEachCommand) {
  EXPECT_EQ(answer({"--help"}).code, 0);
  EXPECT_NE(answer({"-h"}).text.find("--bind-address"), std::string::npos);
  EXPECT_EQ(answer({"--help-all"}).code, 0);
  EXPECT_NE(answer({"--help-all"}).text.find("--query-threads"), std::string::npos);
  EXPECT_EQ(answer({"-h"}).text.find("--query-threads"), std::string::npos);
  EXPECT_TRUE(answer({"import", "--help"}).text.starts_with("graspd import:"));
  EXPECT_TRUE(answer({"backup", "-h"}).text.starts_with("graspd backup:"));
}

TEST(Cli, TakesHelpAsAWordToo) {
  EXPECT_EQ(answer({"help"}).text, answer({"--help"}).text);
  EXPECT_EQ(answer({"help", "import"}).text, answer({"import", "--help"}).text);
  EXPECT_EQ(command<ImportOptions>({"import", "help"}).file, "help");
}

TEST(Cli, TellsTestSuitesThatASocketMayBeHandedOver) {
  const Answer support = answer({"--internal-test-listener-support"});
  EXPECT_EQ(support.code, 0);
  EXPECT_EQ(support.text, "ngit-test-listener-v1\n");
}

TEST(Cli, TakesFlagsOfTheServerItReplaces) {
  const auto taken = invocation({"--sync-plus-enabled", "false", "serve", "--user-index-relays",
                                 "wss://a.org", "--blacklist-auto-restore"});
  ASSERT_EQ(taken.foreign_flags.size(), 3u);
  EXPECT_EQ(taken.foreign_flags[0].first->name, "BLACKLIST_AUTO_RESTORE");
  EXPECT_EQ(taken.foreign_flags[0].second, "true");
  EXPECT_EQ(taken.foreign_flags[1].second, "false");
  EXPECT_EQ(taken.foreign_flags[2].second, "wss://a.org");
}

TEST(Cli, PointsToTheHelpWhenALineIsWrong) {
  for (const Arguments& wrong :
       {Arguments{"--nonsense"}, Arguments{"dance"}, Arguments{"backup"}, Arguments{"--domain"},
        Arguments{"serve", "import"}, Arguments{"--relay-owner-nsec", "nsec1x"},
        Arguments{"announce"}, Arguments{"state"}, Arguments{"issue", "a"},
        Arguments{"read", "{}", "--limit", "many"}, Arguments{"announce", "a", "b"}}) {
    const Answer said = answer(wrong);
    EXPECT_EQ(said.code, kUsageError);
    EXPECT_NE(said.text.find("Try graspd --help."), std::string::npos) << said.text;
  }
}

}  // namespace cli_test
}  // namespace graspd::app
