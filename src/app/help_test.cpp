#include "app/help.h"

#include <gtest/gtest.h>
#include <sstream>

#include "app/base/source_tree_testing.h"
#include "app/base/version.h"
#include "app/config/setting_table.h"

namespace graspd::app {
namespace help_test {

TEST(Help, NamesEverySettingAndEveryCommand) {
  const std::string text = general_help();
  for (const Setting& setting : setting_table()) {
    const std::string name = setting.secret ? setting.variable() : setting.flag();
    EXPECT_NE(text.find(name + " "), std::string::npos) << name;
  }
  for (const CommandHelp& command : command_table()) {
    EXPECT_NE(text.find(command.summary), std::string::npos) << command.name;
  }
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
  std::istringstream lines(general_help());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST(Version, IsTheBuilds) {
  const std::string build = source_text("CMakeLists.txt");
  EXPECT_NE(build.find("project(graspd VERSION " + std::string(kVersion) + " "), std::string::npos);
}

}  // namespace help_test
}  // namespace graspd::app
