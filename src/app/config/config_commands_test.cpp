#include "app/config/config_commands.h"

#include <gtest/gtest.h>
#include <sstream>

#include "app/base/source_tree_testing.h"

namespace graspd::app {
namespace config_test {

bool has_row(const std::string& listing, std::initializer_list<std::string_view> words) {
  std::istringstream lines(listing);
  for (std::string line; std::getline(lines, line);) {
    std::size_t at = 0;
    for (const auto word : words) at = at == std::string::npos ? at : line.find(word, at);
    if (at != std::string::npos) return true;
  }
  return false;
}

TEST(ConfigCommand, ShowsEachValueAndWhereItCameFrom) {
  ConfigInputs inputs;
  inputs.environment = {{"NGIT_MAX_CONNECTIONS", "100"}, {"NGIT_NONSENSE", "1"}};
  const std::string text = config_listing(*configure(inputs, std::nullopt));
  EXPECT_TRUE(has_row(text, {"NGIT_MAX_CONNECTIONS", " 100 ", "environment"})) << text;
  EXPECT_TRUE(has_row(text, {"NGIT_QUERY_THREADS", " 2 ", "default"})) << text;
  EXPECT_TRUE(has_row(text, {"NGIT_DOMAIN", "(the bind address)", "default"})) << text;
  EXPECT_TRUE(has_row(text, {"warning: ignored", "NGIT_NONSENSE"})) << text;
}

TEST(ConfigCommand, DoesNotShowASecret) {
  ConfigInputs inputs;
  inputs.environment = {{"NGIT_RELAY_OWNER_NSEC", std::string(64, '1')}};
  const std::string text = config_listing(*configure(inputs, std::nullopt));
  EXPECT_TRUE(has_row(text, {"NGIT_RELAY_OWNER_NSEC", "(secret)", "environment"})) << text;
  EXPECT_EQ(text.find("1111"), std::string::npos);
}

TEST(ConfigCommand, WroteTheDocumentation) {
  EXPECT_TRUE(source_text("docs/configuration.md") == config_markdown())
      << "write it again: graspd config --markdown > docs/configuration.md";
}

}  // namespace config_test
}  // namespace graspd::app
