#include "git/command_line.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

#include "git/git_config.h"
#include "git/refs_testing.h"

namespace graspd::git {
namespace command_line_test {

using namespace std::string_literals;
using Arguments = std::vector<std::string>;

const std::string kRepo = "/srv/x.git";

std::map<std::string, std::string> environment(const CommandLine& line) {
  std::map<std::string, std::string> variables;
  for (const auto& variable : line.env) {
    const auto equals = variable.find('=');
    EXPECT_TRUE(variables.emplace(variable.substr(0, equals), variable.substr(equals + 1)).second)
        << variable;
  }
  return variables;
}

// The configuration as git will read it.
std::map<std::string, std::string> config(const CommandLine& line) {
  const auto variables = environment(line);
  std::map<std::string, std::string> read;
  for (int i = 0; i < std::stoi(variables.at("GIT_CONFIG_COUNT")); ++i) {
    // The last one counts.
    read[variables.at("GIT_CONFIG_KEY_" + std::to_string(i))] =
        variables.at("GIT_CONFIG_VALUE_" + std::to_string(i));
  }
  return read;
}

std::vector<CommandLine> every_command() {
  return {advertise_upload_pack(kRepo, Protocol::V2),
          upload_pack(kRepo, Protocol::V2, {}),
          advertise_receive_pack(kRepo, Protocol::V0),
          receive_pack(kRepo, {}),
          update_refs(kRepo),
          connectivity_check(kRepo),
          pack_refs(kRepo),
          commit_graph(kRepo)};
}

TEST(CommandLine, HasACleanEnvironment) {  // R1
  for (const auto& line : every_command()) {
    auto variables = environment(line);
    EXPECT_EQ(variables["PATH"], "/usr/local/bin:/usr/bin:/bin");
    EXPECT_EQ(variables["LC_ALL"], "C");
    EXPECT_EQ(variables["HOME"], "/nonexistent");
    EXPECT_EQ(variables["GIT_CONFIG_NOSYSTEM"], "1");
    EXPECT_EQ(variables["GIT_CONFIG_GLOBAL"], "/dev/null");
    EXPECT_EQ(variables["GIT_TERMINAL_PROMPT"], "0");
    std::erase_if(variables, [](const auto& entry) {
      return entry.first.starts_with("GIT_CONFIG_") || entry.first == "GIT_PROTOCOL";
    });
    EXPECT_EQ(variables.size(), 4);
  }
}

TEST(CommandLine, RunsInTheRepositoryAndNamesIt) {  // R2
  for (const auto& line : every_command()) {
    EXPECT_EQ(line.argv[0], "git");
    EXPECT_EQ(line.directory, kRepo);
    const bool is_named = line.argv[1] == "--git-dir=" + kRepo || line.argv.back() == kRepo;
    EXPECT_TRUE(is_named) << line.argv[1];
  }
}

TEST(CommandLine, IsConfiguredByTheTable) {  // R1 R3 R4
  const std::pair<const char*, const char*> rows[] = {
      {"safe.directory", "*"},
      {"core.hooksPath", "/dev/null"},
      {"gc.auto", "0"},
      {"maintenance.auto", "false"},
      {"receive.autogc", "false"},
      {"uploadpack.allowTipSHA1InWant", "true"},
      {"uploadpack.allowReachableSHA1InWant", "true"},
      {"uploadpack.allowAnySHA1InWant", "true"},
      {"uploadpack.allowFilter", "true"},
      {"receive.fsckObjects", "true"},
      {"transfer.fsckObjects", "true"},
      {"transfer.unpackLimit", "1"},
      {"transfer.hideRefs", "refs/graspd"},
      {"pack.threads", "1"},
      {"receive.fsck.badTimezone", "ignore"},
      {"receive.fsck.zeroPaddedFilemode", "ignore"},
  };
  for (const auto& line : every_command()) {
    const auto read = config(line);
    for (const auto& [key, value] : rows) EXPECT_EQ(read.at(key), value) << key;
  }
}

TEST(CommandLine, ToleratesNoFaultThatCanFoolAReader) {
  const auto faults = tolerated_faults();
  for (const auto* fault : {"duplicateEntries", "treeNotSorted", "hasDotgit", "hasDotdot", "hasDot",
                            "gitmodulesUrl", "gitmodulesName", "gitmodulesSymlink", "nullSha1",
                            "fullPathname", "emptyName", "missingTree", "missingObject"}) {
    EXPECT_EQ(std::count(faults.begin(), faults.end(), fault), 0) << fault;
  }
}

TEST(CommandLine, SpeaksTheProtocolAskedFor) {
  const auto spoken = [](Protocol protocol) {
    return environment(upload_pack(kRepo, protocol, {}))["GIT_PROTOCOL"];
  };
  EXPECT_EQ(spoken(Protocol::V0), "");
  EXPECT_EQ(spoken(Protocol::V1), "version=1");
  EXPECT_EQ(spoken(Protocol::V2), "version=2");
  EXPECT_FALSE(environment(upload_pack(kRepo, Protocol::V0, {})).contains("GIT_PROTOCOL"));
}

TEST(Protocol, IsTheHighestKnownVersionInTheHeader) {
  const std::pair<const char*, Protocol> rows[] = {
      {"", Protocol::V0},
      {"version=2", Protocol::V2},
      {"version=1", Protocol::V1},
      {"version=0", Protocol::V0},
      {"version=1:version=2", Protocol::V2},
      {"version=2:version=1", Protocol::V2},
      {"key=value:version=2:other", Protocol::V2},
      {":::version=1:", Protocol::V1},
      {"version=3", Protocol::V0},
      {"version=2 ", Protocol::V0},
      {"Version=2", Protocol::V0},
      {"version=2\nPATH=x", Protocol::V0},
  };
  for (const auto& [header, protocol] : rows) EXPECT_EQ(parse_protocol(header), protocol) << header;
}

TEST(CommandLine, ServesFetches) {
  EXPECT_EQ(advertise_upload_pack(kRepo, Protocol::V0).argv,
            (Arguments{"git", "upload-pack", "--strict", "--stateless-rpc",
                       "--http-backend-info-refs", kRepo}));
  EXPECT_EQ(upload_pack(kRepo, Protocol::V0, {}).argv,
            (Arguments{"git", "upload-pack", "--strict", "--stateless-rpc", kRepo}));
}

TEST(CommandLine, MayShowNothingToThosePushing) {
  const auto all = advertise_receive_pack(kRepo, Protocol::V0);
  const auto none = advertise_receive_pack(kRepo, Protocol::V0, Advertised::Nothing);
  EXPECT_EQ(all.argv, none.argv);
  EXPECT_EQ(config(none).at("receive.hideRefs"), "refs/");
  EXPECT_FALSE(config(all).contains("receive.hideRefs"));
}

TEST(CommandLine, TakesPushesUpToALimit) {
  EXPECT_EQ(
      advertise_receive_pack(kRepo, Protocol::V0).argv,
      (Arguments{"git", "receive-pack", "--stateless-rpc", "--http-backend-info-refs", kRepo}));
  const auto line = receive_pack(kRepo, {.pack_bytes_max = 12345});
  EXPECT_EQ(line.argv, (Arguments{"git", "receive-pack", "--stateless-rpc", kRepo}));
  EXPECT_EQ(config(line).at("receive.maxInputSize"), "12345");
}

TEST(UpdateRefs, ReadsATransaction) {
  const std::vector<RefUpdate> updates = {{named("refs/heads/a"), oid('a'), std::nullopt},
                                          {named("refs/heads/b"), std::nullopt, oid('b')},
                                          {named("refs/heads/c"), oid('c'), oid('d')}};
  const std::string zero(1, '\0');
  EXPECT_EQ(update_refs_input(updates),
            "delete refs/heads/a" + zero + oid('a').hex() + zero +  //
                "create refs/heads/b" + zero + oid('b').hex() + zero + "update refs/heads/c" +
                zero + oid('d').hex() + zero + oid('c').hex() + zero);
  EXPECT_EQ(update_refs(kRepo).argv,
            (Arguments{"git", "--git-dir=" + kRepo, "update-ref", "--stdin", "-z"}));
}

TEST(CommandLine, BoundsWhatAnybodyCanAskFor) {  // R3
  const auto receive = receive_pack(kRepo, {.bounds = kForStrangers});
  const auto settings = config(receive);
  const std::uint64_t mapped = std::stoull(settings.at("core.packedGitLimit"));
  EXPECT_EQ(receive.memory_bytes_max + mapped, 512ULL << 20);
  EXPECT_LT(std::stoull(settings.at("core.packedGitWindowSize")), mapped);
  EXPECT_EQ(receive.cpu_seconds_max, 60u);
  EXPECT_EQ(settings.at("pack.threads"), "1");
  for (const auto& line :
       {advertise_upload_pack(kRepo, Protocol::V2), advertise_receive_pack(kRepo, Protocol::V0)}) {
    EXPECT_GT(line.memory_bytes_max, 0u);
    EXPECT_GT(line.cpu_seconds_max, 0u);
  }
  EXPECT_EQ(config(upload_pack(kRepo, Protocol::V2, {})).at("core.packedGitLimit"), "256m");
}

TEST(CommandLine, WalksNoDeepTreesForAFilter) {  // R3
  const auto allow = [](TreeFilter filter) {
    return config(upload_pack(kRepo, Protocol::V2, {}, filter)).at("uploadpackfilter.tree.allow");
  };
  EXPECT_EQ(allow(TreeFilter::None), "false");
  EXPECT_EQ(allow(TreeFilter::Allowed), "true");
  EXPECT_EQ(config(upload_pack(kRepo, Protocol::V2, {})).at("uploadpackfilter.tree.maxTreeDepth"),
            "2");
}

}  // namespace command_line_test
}  // namespace graspd::git
