// Rule numbers are those of app/config/setting_table.h.
#include "app/help.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sstream>

#include "app/base/source_tree_testing.h"
#include "app/base/version.h"
#include "app/config/setting_table.h"

namespace graspd::app {
namespace help_test {

// How many settings a help text names.
std::size_t settings_in(const std::string& text) {
  std::size_t count = 0;
  for (const Setting& setting : setting_table()) {
    const std::string name = setting.secret ? setting.variable() : setting.flag();
    count += text.find(fmt::format("\n  {} {}", name, setting.type)) != std::string::npos ? 1 : 0;
  }
  return count;
}

TEST(Help, OfAllSettingsNamesEverySettingAndEveryCommand) {  // R5
  const std::string text = general_help(HelpOf::AllSettings);
  EXPECT_EQ(settings_in(text), setting_table().size());
  for (const CommandHelp& command : command_table()) {
    EXPECT_NE(text.find(command.summary), std::string::npos) << command.name;
  }
}

TEST(Help, ShowsAboutTwentySettingsAndHowToSeeTheOthers) {  // R5
  const std::string text = general_help(HelpOf::CommonSettings);
  EXPECT_GE(settings_in(text), 18U);
  EXPECT_LE(settings_in(text), 24U);
  EXPECT_NE(text.find("graspd --help-all shows all"), std::string::npos);
  for (const char* needed : {"--domain ", "--bind-address ", "--relay-data-path ",
                             "--git-data-path ", "--owner-nsec-file ", "--log-level "})
    EXPECT_NE(text.find(needed), std::string::npos) << needed;
}

TEST(Help, ShowsAnExampleForEveryCommand) {
  for (const CommandHelp& command : command_table()) {
    const std::string example = "graspd " + std::string(command.name);
    const std::string text = command_help(command.name);
    EXPECT_NE(text.find(example, text.find("\n\n", text.find("Usage"))), std::string::npos)
        << command.name;
  }
}

TEST(Help, FitsATerminal) {
  std::istringstream lines(general_help(HelpOf::AllSettings));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST(Version, IsTheBuilds) {
  const std::string build = source_text("CMakeLists.txt");
  EXPECT_NE(build.find("project(graspd VERSION " + std::string(kVersion) + " "), std::string::npos);
}

}  // namespace help_test
}  // namespace graspd::app
