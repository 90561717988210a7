#include "app/config/setting_table.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

namespace graspd::app {
namespace setting_table_test {

Verdict parse(std::string_view name, std::string_view value) {
  Settings settings;
  return find_setting(name)->parse(settings, value);
}

TEST(SettingTable, NamesVariableAndFlagAlike) {  // R1
  const Setting* setting = find_setting("RELAY_MAX_EVENT_SIZE_BYTES");
  ASSERT_NE(setting, nullptr);
  EXPECT_EQ(setting->variable(), "NGIT_RELAY_MAX_EVENT_SIZE_BYTES");
  EXPECT_EQ(setting->flag(), "--relay-max-event-size-bytes");
  EXPECT_EQ(find_setting("NGIT_DOMAIN"), nullptr);
}

TEST(SettingTable, HasNoNameTwiceAndKeepsGroupsTogether) {
  std::set<std::string_view> names;
  std::set<Group> finished;
  Group current = Group::Identity;
  for (const Setting& setting : setting_table()) {
    EXPECT_TRUE(names.insert(setting.name).second) << setting.name;
    EXPECT_FALSE(setting.help.empty()) << setting.name;
    EXPECT_FALSE(setting.help.ends_with('.')) << setting.name;
    if (setting.group != current) finished.insert(std::exchange(current, setting.group));
    EXPECT_FALSE(finished.contains(setting.group)) << setting.name;
  }
}

TEST(SettingTable, TakesBackEveryValueItPrints) {
  const Settings defaults;
  for (const Setting& setting : setting_table()) {
    const std::string printed = setting.print(defaults);
    if (printed.empty()) continue;
    Settings again;
    EXPECT_FALSE(setting.parse(again, printed)) << setting.name << "=" << printed;
    EXPECT_EQ(setting.print(again), printed) << setting.name;
  }
}

TEST(SettingTable, RefusesARubbishValueInEveryRowThatHasAForm) {
  const std::set<std::string_view> free_text{
      "RELAY_NAME",          "RELAY_DESCRIPTION", "RELAY_CONTACT",        "OWNER_NSEC_FILE",
      "RELAY_DATA_PATH",     "GIT_DATA_PATH",     "REPOSITORY_WHITELIST", "REPOSITORY_BLACKLIST",
      "EVENT_BLACKLIST",     "ARCHIVE_WHITELIST", "SYNC_CA_FILE",         "PRIVATE_MEMBERS",
      "PRIVATE_MEMBERS_FILE"};
  for (const Setting& setting : setting_table()) {
    if (free_text.contains(setting.name)) continue;
    Settings settings;
    const auto verdict = setting.parse(settings, "?!");
    ASSERT_TRUE(verdict) << setting.name;
    EXPECT_FALSE(verdict->what.empty()) << setting.name;
    EXPECT_TRUE(verdict->remedy.starts_with("write ")) << setting.name << ": " << verdict->remedy;
  }
}

TEST(SettingTable, NeverPrintsASecretAndGivesItNoFlag) {  // R3
  const Setting* setting = find_setting("RELAY_OWNER_NSEC");
  Settings settings;
  const std::string hex(64, '1');
  EXPECT_FALSE(setting->parse(settings, hex));
  EXPECT_TRUE(settings.owner_secret);
  EXPECT_EQ(setting->print(settings), "(secret)");
  EXPECT_EQ(setting->flag(), "");
}

TEST(SettingTable, RefusesAnEmptySecret) {  // R2
  EXPECT_TRUE(parse("RELAY_OWNER_NSEC", ""));
  EXPECT_TRUE(parse("RELAY_OWNER_NSEC", "nsec1qqqq"));
  EXPECT_TRUE(parse("RELAY_OWNER_NSEC", std::string(64, '0')));
}

TEST(SettingTable, TakesZeroForEveryLimit) {  // R4
  for (const Setting& setting : setting_table()) {
    if (setting.group != Group::Limits) continue;
    EXPECT_FALSE(parse(setting.name, "0")) << setting.name;
  }
}

TEST(SettingTable, TakesZeroForATimeoutThatNeverComes) {
  Settings settings;
  const Setting* idle = find_setting("IDLE_TIMEOUT_SECS");
  EXPECT_FALSE(idle->parse(settings, "0"));
  EXPECT_EQ(settings.server.idle_timeout, kNever);
  EXPECT_EQ(idle->print(settings), "0");
  EXPECT_FALSE(find_setting("SHUTDOWN_DRAIN_SECS")->parse(settings, "0"));
  EXPECT_EQ(settings.shutdown_drain, core::Duration(0));
}

TEST(SettingTable, NeedsAThreadOfEachKind) {
  EXPECT_EQ(parse("NETWORK_THREADS", "0")->what, "is too small");
  EXPECT_EQ(parse("QUERY_THREADS", "0")->what, "is too small");
  EXPECT_FALSE(parse("VERIFY_THREADS", "0"));
}

TEST(SettingTable, StartsNoMoreThreadsThanAMachineCanRun) {
  for (const char* name : {"NETWORK_THREADS", "VERIFY_THREADS", "QUERY_THREADS"}) {
    Settings settings;
    EXPECT_FALSE(find_setting(name)->parse(settings, "256")) << name;
    const auto complaint = find_setting(name)->parse(settings, "100000");
    ASSERT_TRUE(complaint) << name;
    EXPECT_EQ(complaint->what, "is too large");
  }
}

TEST(SettingTable, ListsTheChoices) {
  EXPECT_EQ(parse("DATABASE_BACKEND", "sqlite")->remedy, "write lmdb or memory");
  EXPECT_EQ(parse("LOG_FORMAT", "xml")->remedy, "write text or json");
  EXPECT_EQ(parse("ACCEPT", "all")->remedy, "write grasp or open");
}

TEST(SettingTable, TakesNoStandardStreamAsListener) {
  EXPECT_EQ(parse("TEST_LISTENER_FD", "2")->what, "is too small");
  EXPECT_FALSE(parse("TEST_LISTENER_FD", "3"));
}

TEST(SettingTable, HasTheDefaultsThatArePromised) {
  const auto preset = [](std::string_view name) { return default_of(*find_setting(name)); };
  EXPECT_EQ(preset("BIND_ADDRESS"), "127.0.0.1:7334");
  EXPECT_EQ(preset("DOMAIN"), "the bind address");
  EXPECT_EQ(preset("RELAY_DATA_PATH"), "./data/relay");
  EXPECT_EQ(preset("MAX_CONNECTIONS"), "20000");
  EXPECT_EQ(preset("RELAY_MAX_EVENT_SIZE_BYTES"), "192k");
  EXPECT_EQ(preset("MAX_OUTBOUND_BYTES"), "16M");
  EXPECT_EQ(preset("IDLE_TIMEOUT_SECS"), "75");
  EXPECT_EQ(preset("LOG_LEVEL"), "info");
}

TEST(SettingTable, NoticesAnEventThatFitsInNoMessage) {
  Settings settings;
  EXPECT_FALSE(contradiction(settings));
  settings.limits.message_bytes = 1'000;
  ASSERT_TRUE(contradiction(settings));
  EXPECT_TRUE(contradiction(settings)->starts_with("NGIT_RELAY_MAX_EVENT_SIZE_BYTES (192k)"));
  settings.limits.message_bytes = 0;
  EXPECT_FALSE(contradiction(settings));
}

TEST(SettingTable, NoticesPingsThatComeTooLate) {
  Settings settings;
  settings.server.idle_timeout = settings.server.ping_interval;
  EXPECT_TRUE(contradiction(settings));
  settings.server.idle_timeout = kNever;
  EXPECT_FALSE(contradiction(settings));
  settings.server.idle_timeout = core::Duration(1'000);
  settings.server.ping_interval = kNever;
  EXPECT_FALSE(contradiction(settings));
}

TEST(SettingTable, NoticesATestSocketOutsideTests) {
  Settings settings;
  settings.test_listener_fd = 3;
  EXPECT_TRUE(contradiction(settings));
  settings.test = true;
  EXPECT_FALSE(contradiction(settings));
}

}  // namespace setting_table_test
}  // namespace graspd::app
