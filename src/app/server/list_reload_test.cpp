#include "app/server/list_reload.h"

#include <gtest/gtest.h>

#include "app/config/setting_table.h"

namespace graspd::app {
namespace list_reload_test {

using Strings = std::vector<std::string>;

Settings with(const std::vector<std::pair<std::string_view, std::string_view>>& values) {
  Settings settings;
  for (const auto& [name, value] : values)
    EXPECT_FALSE(find_setting(name)->parse(settings, value)) << name << "=" << value;
  return settings;
}

TEST(ListReload, TakesListsAndTellsHowManyEntriesTheyHave) {
  Settings running = with({{"REPOSITORY_BLACKLIST", "a,b"}, {"REPOSITORY_WHITELIST", "x"}});
  const auto reload =
      take_lists(running, with({{"REPOSITORY_BLACKLIST", "a"}, {"REPOSITORY_WHITELIST", "x,y"}}));
  EXPECT_EQ(reload.changed, (Strings{"NGIT_REPOSITORY_WHITELIST: 2 entries, before 1",
                                     "NGIT_REPOSITORY_BLACKLIST: 1 entry, before 2"}));
  EXPECT_TRUE(reload.need_restart.empty());
  EXPECT_EQ(running.repository_blacklist.list.size(), 1U);
  EXPECT_EQ(access_lists(running).repository_whitelist.size(), 2U);
}

TEST(ListReload, LeavesTheRestToARestart) {  // R2
  Settings running = with({{"MAX_CONNECTIONS", "1"}});
  const auto reload = take_lists(running, with({{"MAX_CONNECTIONS", "2"},
                                                {"REPOSITORY_WHITELIST", "x"},
                                                {"REPOSITORY_BLACKLIST", "y"}}));
  EXPECT_EQ(reload.need_restart, (Strings{"NGIT_REPOSITORY_WHITELIST", "NGIT_MAX_CONNECTIONS"}));
  EXPECT_EQ(reload.changed, Strings{"NGIT_REPOSITORY_BLACKLIST: 1 entry, before 0"});
  EXPECT_EQ(running.server.connections_max, 1U);
  EXPECT_TRUE(running.repository_whitelist.empty());
}

TEST(ListReload, ChangesNothingWhenSomethingIsWrong) {  // R1
  Settings running = with({{"REPOSITORY_BLACKLIST", "a"}});
  const auto wrong = [] {
    return core::Result<Settings, std::string>(core::Failure{std::string("no\nno")});
  };
  EXPECT_FALSE(reload_lists(running, wrong));
  EXPECT_EQ(running.repository_blacklist.list.size(), 1U);
  EXPECT_FALSE(reload_lists(running, [&] { return core::Result<Settings, std::string>(running); }));
  const auto right = [] {
    return core::Result<Settings, std::string>(with({{"REPOSITORY_BLACKLIST", "a,b"}}));
  };
  const auto lists = reload_lists(running, right);
  ASSERT_TRUE(lists);
  EXPECT_EQ(lists->repository_blacklist.size(), 2U);
}

}  // namespace list_reload_test
}  // namespace graspd::app
