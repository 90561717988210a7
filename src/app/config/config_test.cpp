#include "app/config/config.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "app/base/temporary_folder_testing.h"

namespace graspd::app {
namespace config_test {

ConfigFile file_with(std::string_view text) { return *parse_config_text(".env", text); }

ConfigInputs environment_with(Environment environment) {
  ConfigInputs inputs;
  inputs.environment = std::move(environment);
  return inputs;
}

std::string failure(Environment environment) {
  const auto configuration = configure(environment_with(std::move(environment)), std::nullopt);
  return configuration ? "no failure" : configuration.error();
}

TEST(Config, IsCompleteWithoutAnything) {
  const auto configuration = configure(ConfigInputs{}, std::nullopt);
  ASSERT_TRUE(configuration);
  EXPECT_EQ(configuration->settings.bind_port, 7334);
  EXPECT_EQ(configuration->settings.server.message_bytes_max,
            configuration->settings.limits.message_bytes);
  EXPECT_EQ(configuration->sources.size(), setting_table().size());
  EXPECT_EQ(configuration->sources.at("DOMAIN").place, "default");
  EXPECT_TRUE(configuration->warnings.empty());
}

TEST(Config, PrefersFlagsOverEnvironmentOverFileOverDefault) {  // R1
  ConfigInputs inputs = environment_with({{"NGIT_MAX_CONNECTIONS", "3"}, {"NGIT_TEST", "yes"}});
  inputs.flags.emplace_back(find_setting("MAX_CONNECTIONS"), "4");
  const auto file =
      file_with("MAX_CONNECTIONS=2\nNGIT_TEST=no\nQUERY_THREADS=7\nNGIT_RELAY_NAME=\"A b\"\n");
  const auto configuration = configure(inputs, file);
  ASSERT_TRUE(configuration) << configuration.error();
  EXPECT_EQ(configuration->settings.server.connections_max, 4U);
  EXPECT_TRUE(configuration->settings.test);
  EXPECT_EQ(configuration->settings.query_threads, 7U);
  EXPECT_EQ(configuration->settings.relay_name, "A b");
  const auto& sources = configuration->sources;
  EXPECT_EQ(sources.at("MAX_CONNECTIONS").place, "--max-connections");
  EXPECT_EQ(sources.at("MAX_CONNECTIONS").origin, Origin::Flag);
  EXPECT_EQ(sources.at("TEST").place, "environment");
  EXPECT_EQ(sources.at("QUERY_THREADS").place, ".env:3");
  EXPECT_EQ(sources.at("VERIFY_THREADS").origin, Origin::Default);
}

TEST(Config, TakesAnEmptyValueAsNone) {
  const auto configuration =
      configure(environment_with({{"NGIT_MAX_CONNECTIONS", ""}}), file_with("MAX_CONNECTIONS=2"));
  ASSERT_TRUE(configuration);
  EXPECT_EQ(configuration->settings.server.connections_max, 2U);
}

TEST(Config, LetsTheLastLineOfAFileWin) {
  const auto configuration =
      configure(ConfigInputs{}, file_with("MAX_CONNECTIONS=2\nMAX_CONNECTIONS=5\n"));
  ASSERT_TRUE(configuration);
  EXPECT_EQ(configuration->settings.server.connections_max, 5U);
  EXPECT_EQ(configuration->sources.at("MAX_CONNECTIONS").place, ".env:2");
}

TEST(Config, SaysWhatIsWrongWhereAndWhatToWrite) {  // R3
  EXPECT_EQ(failure({{"NGIT_TEST", "maybe"}}),
            "NGIT_TEST (environment): \"maybe\" is neither true nor false; write true or false");
  const auto in_file = configure(ConfigInputs{}, file_with("\nMAX_CONNECTIONS=many\n"));
  ASSERT_FALSE(in_file);
  EXPECT_EQ(in_file.error(),
            "NGIT_MAX_CONNECTIONS (.env:2): \"many\" is not a whole number; write a whole number, "
            "0 or more");
  ConfigInputs inputs;
  inputs.flags.emplace_back(find_setting("BIND_ADDRESS"), "localhost:80");
  EXPECT_EQ(configure(inputs, std::nullopt).error(),
            "NGIT_BIND_ADDRESS (--bind-address): \"localhost:80\" is not an IP address and port; "
            "write ip:port, such as 127.0.0.1:7334, 0.0.0.0:7334 or [::]:7334");
}

TEST(Config, NamesAllWrongValuesAtOnce) {  // R3
  const std::string text = failure({{"NGIT_TEST", "x"}, {"NGIT_QUERY_THREADS", "0"}});
  EXPECT_NE(text.find("NGIT_TEST"), std::string::npos);
  EXPECT_NE(text.find("NGIT_QUERY_THREADS (environment): \"0\" is too small"), std::string::npos);
}

TEST(Config, DoesNotRepeatAWrongSecret) {
  const std::string text = failure({{"NGIT_RELAY_OWNER_NSEC", "nsec1oops"}});
  EXPECT_EQ(text.find("oops"), std::string::npos);
  EXPECT_TRUE(text.starts_with("NGIT_RELAY_OWNER_NSEC (environment): the value is not a secret"));
}

TEST(Config, StopsAtAnEmptySecret) {
  EXPECT_NE(failure({{"NGIT_RELAY_OWNER_NSEC", ""}}), "no failure");
}

TEST(Config, StopsAtSettingsThatContradictEachOther) {
  EXPECT_NE(failure({{"NGIT_MAX_MESSAGE_BYTES", "1000"}}), "no failure");
}

TEST(Config, ListsUnknownNamesInOneWarning) {  // R4
  const auto configuration =
      configure(environment_with({{"NGIT_FOO", "1"}, {"NGIT_CONFIG_FILE", "x"}, {"PATH", "/bin"}}),
                file_with("BAR=2\nNGIT_BAZ=\n"));
  ASSERT_TRUE(configuration);
  ASSERT_EQ(configuration->warnings.size(), 1U);
  EXPECT_EQ(configuration->warnings.front(),
            "ignored, because this version does not know them: BAR (.env:1), NGIT_BAZ (.env:2), "
            "NGIT_FOO (environment)");
}

TEST(Config, SaysThatASettingOfEarlierVersionsHasNoEffect) {  // R4
  const auto configuration = configure(environment_with({{"NGIT_SYNC_CONSOLIDATE_AT", "nonsense"}}),
                                       file_with("SYNC_MAX_TAGS_PER_FILTER=2\n"));
  ASSERT_TRUE(configuration);
  EXPECT_EQ(configuration->warnings,
            (std::vector<std::string>{
                "SYNC_MAX_TAGS_PER_FILTER (.env:1) has no effect any more; remove it",
                "NGIT_SYNC_CONSOLIDATE_AT (environment) has no effect any more; remove it"}));
}

TEST(Config, KeepsWhatTheServerItReplacesKeeps) {
  const auto configuration =
      configure(environment_with({{"NGIT_DELETION_REQUEST_DISRESPECTOR", "true"},
                                  {"NGIT_HOLDING_RETENTION_SECS", "5"},
                                  {"NGIT_DELETION_REQUEST_RETENTION_UNUSED_SERVED_SECS", "6"}}),
                {});
  ASSERT_TRUE(configuration);
  const grasp::PolicyOptions& policy = configuration->settings.host.policy;
  EXPECT_TRUE(policy.ignores_requests);
  EXPECT_EQ(policy.removal_grace, 5);
  EXPECT_EQ(policy.requests.unused_served, 6);
  EXPECT_EQ(grasp::PolicyOptions().removal_grace, 90 * 24 * 3600);
}

TEST(Config, TakesFlagsOfTheServerItReplaces) {  // R4, R5
  ConfigInputs inputs;
  inputs.foreign_flags = {{find_foreign_setting("HOLDING_CLEANUP_INTERVAL_SECS"), "5"}};
  const auto configuration = configure(inputs, std::nullopt);
  ASSERT_TRUE(configuration);
  ASSERT_EQ(configuration->warnings.size(), 1U);
  EXPECT_NE(configuration->warnings.front().find(
                "HOLDING_CLEANUP_INTERVAL_SECS (--holding-cleanup-interval-secs"),
            std::string::npos);
}

TEST(Config, TakesItsOwnPrefixToo) {  // R1 of app/config/setting_table.h
  const auto configuration = configure(environment_with({{"NGIT_MAX_CONNECTIONS", "1"},
                                                         {"GRASPD_MAX_CONNECTIONS", "2"},
                                                         {"GRASPD_SOMETHING", "1"}}),
                                       file_with("GRASPD_RELAY_NAME=mine\n"));
  ASSERT_TRUE(configuration);
  EXPECT_EQ(configuration->settings.server.connections_max, 2U);
  EXPECT_EQ(configuration->settings.relay_name, "mine");
  EXPECT_TRUE(configuration->warnings.empty());
}

TEST(Config, WarnsWhenThePublicHasNoNameForTheService) {
  const auto open = configure(environment_with({{"NGIT_BIND_ADDRESS", "0.0.0.0:7334"}}), {});
  ASSERT_EQ(open->warnings.size(), 1U);
  EXPECT_TRUE(open->warnings.front().starts_with("NGIT_DOMAIN is not set"));
  const auto named = configure(
      environment_with({{"NGIT_BIND_ADDRESS", "0.0.0.0:7334"}, {"NGIT_DOMAIN", "a.org"}}), {});
  EXPECT_TRUE(named->warnings.empty());
}

TEST(Config, ReadsTheFileThatIsNamed) {  // R2
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "graspd.conf").string();
  std::ofstream(path) << "RELAY_NAME=From the file\n";
  const auto by_variable = configure(environment_with({{"NGIT_CONFIG_FILE", path}}));
  ASSERT_TRUE(by_variable) << by_variable.error();
  EXPECT_EQ(by_variable->settings.relay_name, "From the file");
  EXPECT_EQ(by_variable->file, path);
  ConfigInputs inputs = environment_with({{"NGIT_CONFIG_FILE", "/nonexistent"}});
  inputs.config_path = path;
  EXPECT_EQ(configure(inputs)->settings.relay_name, "From the file");
}

TEST(Config, InsistsOnTheFileThatIsNamed) {  // R2
  const auto configuration = configure(environment_with({{"NGIT_CONFIG_FILE", "/nonexistent"}}));
  ASSERT_FALSE(configuration);
  EXPECT_TRUE(configuration.error().starts_with("cannot read the configuration file"));
}

TEST(Config, ReadsTheUsualFileWhenItIsThere) {  // R2
  const TemporaryFolder folder;
  const InFolder here(folder.path());
  EXPECT_FALSE(configure(ConfigInputs{})->file);
  std::ofstream(".env") << "RELAY_NAME=Usual\n";
  const auto configuration = configure(ConfigInputs{});
  ASSERT_TRUE(configuration);
  EXPECT_EQ(configuration->settings.relay_name, "Usual");
  EXPECT_EQ(configuration->sources.at("RELAY_NAME").place, ".env:1");
}

TEST(Config, WarnsOfAKeyInAFileThatStrangersCanRead) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "env").string();
  std::ofstream(path) << "NGIT_RELAY_OWNER_NSEC=" << std::string(63, '0') << "1\n";
  ConfigInputs inputs;
  inputs.config_path = path;
  const auto warnings = [&](int mode) {
    std::filesystem::permissions(path, std::filesystem::perms(mode));
    return configure(inputs)->warnings;
  };
  ASSERT_EQ(warnings(0644).size(), 1U);
  EXPECT_EQ(warnings(0644).front(), "NGIT_RELAY_OWNER_NSEC is set in a file, and others can read " +
                                        path + " (mode 0644); run: chmod o-rwx " + path);
  EXPECT_TRUE(warnings(0640).empty());
}

}  // namespace config_test
}  // namespace graspd::app
