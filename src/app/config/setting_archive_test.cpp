#include "app/config/setting_archive.h"

#include <gtest/gtest.h>
#include <utility>

namespace graspd::app {
namespace setting_archive_test {

Settings with(const std::vector<std::pair<std::string_view, std::string_view>>& values) {
  Settings settings;
  for (const auto& [name, value] : values)
    EXPECT_FALSE(find_setting(name)->parse(settings, value)) << name << "=" << value;
  return settings;
}

TEST(ArchiveSettings, AreReadOnlyUnlessSaidOtherwise) {
  EXPECT_FALSE(is_archive(Settings()));
  EXPECT_FALSE(is_read_only_archive(Settings()));
  for (const auto& [name, value] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"ARCHIVE_ALL", "true"},
           {"ARCHIVE_WHITELIST", "project"},
           {"ARCHIVE_GRASP_SERVICES", "relay.example.org, Other.example:8080/"}}) {
    EXPECT_TRUE(is_archive(with({{name, value}}))) << name;
    EXPECT_TRUE(is_read_only_archive(with({{name, value}}))) << name;
    EXPECT_FALSE(is_read_only_archive(with({{name, value}, {"ARCHIVE_READ_ONLY", "false"}})));
  }
}

TEST(ArchiveSettings, NameServices) {
  EXPECT_EQ(with({{"ARCHIVE_GRASP_SERVICES", "relay.example.org, Other.example:8080/,"}})
                .archive_services,
            (std::vector<std::string>{"relay.example.org", "other.example:8080"}));
  Settings settings;
  EXPECT_TRUE(find_setting("ARCHIVE_GRASP_SERVICES")->parse(settings, "https://a.example"));
}

TEST(ArchiveSettings, DoNotContradictEachOther) {
  const auto wrong = [](const auto& values) { return contradiction(with(values)).has_value(); };
  using Values = std::vector<std::pair<std::string_view, std::string_view>>;
  EXPECT_FALSE(wrong(Values{{"ARCHIVE_ALL", "true"}, {"ARCHIVE_WHITELIST", "a"}}));
  EXPECT_TRUE(wrong(Values{{"ARCHIVE_ALL", "true"}, {"ARCHIVE_GRASP_SERVICES", "a.example"}}));
  EXPECT_TRUE(wrong(Values{{"ARCHIVE_WHITELIST", "a"}, {"ARCHIVE_GRASP_SERVICES", "a.example"}}));
  EXPECT_TRUE(wrong(Values{{"ARCHIVE_READ_ONLY", "true"}}));
  EXPECT_FALSE(wrong(Values{{"ARCHIVE_READ_ONLY", "false"}}));
  EXPECT_TRUE(wrong(Values{{"ARCHIVE_ALL", "true"}, {"REPOSITORY_WHITELIST", "a"}}));
  EXPECT_FALSE(wrong(Values{
      {"ARCHIVE_ALL", "true"}, {"REPOSITORY_WHITELIST", "a"}, {"ARCHIVE_READ_ONLY", "false"}}));
}

TEST(ArchiveSettings, SayWhatIsKept) {
  EXPECT_EQ(curation(Settings()), "");
  EXPECT_EQ(curation(with({{"ARCHIVE_ALL", "true"}})),
            "Read-only sync of all repositories found on network");
  EXPECT_EQ(curation(with({{"ARCHIVE_WHITELIST", "a"}})),
            "Read-only sync of whitelisted repositories and maintainers");
  EXPECT_EQ(curation(with({{"ARCHIVE_GRASP_SERVICES", "a.example,b.example"}})),
            "Read-only sync of repositories hosted by a.example, b.example");
  EXPECT_EQ(curation(with({{"ARCHIVE_ALL", "true"}, {"ARCHIVE_READ_ONLY", "false"}})), "");
  EXPECT_EQ(curation(with({{"REPOSITORY_WHITELIST", "a"}})),
            "Accepts only whitelisted repositories and maintainers that list this service");
  EXPECT_TRUE(curation(with({{"REPOSITORY_WHITELIST", "a"},
                             {"ARCHIVE_ALL", "true"},
                             {"ARCHIVE_READ_ONLY", "false"}}))
                  .starts_with("Accepts whitelisted repositories (with or without"));
}

}  // namespace setting_archive_test
}  // namespace graspd::app
