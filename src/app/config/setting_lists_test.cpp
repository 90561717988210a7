#include "app/config/setting_lists.h"

#include <fstream>
#include <gtest/gtest.h>

#include "app/base/temporary_folder_testing.h"
#include "app/config/config.h"
#include "nostr/nip19.h"
#include "store/testing/events.h"

namespace graspd::app {
namespace setting_lists_test {

using store::testing::author;

std::string npub(std::uint32_t number) { return nostr::nip19::npub(author(number)); }

// What is wrong with a value; empty: nothing.
std::string wrong_with(const std::string& name, const std::string& value) {
  const auto configured = configure({.flags = {}, .environment = {{"NGIT_" + name, value}}},
                                    std::optional<ConfigFile>());
  return configured ? "" : configured.error();
}

class ListFiles : public ::testing::Test {
 protected:
  std::string file(const std::string& text) {
    std::ofstream(folder_.path() / "list") << text;
    return "@" + (folder_.path() / "list").string();
  }
  TemporaryFolder folder_;
};

TEST(ListSettings, NameEveryEntryThatIsWrong) {  // R2
  for (const std::string name :
       {"REPOSITORY_WHITELIST", "REPOSITORY_BLACKLIST", "ARCHIVE_WHITELIST", "EVENT_BLACKLIST"}) {
    const std::string wrong = wrong_with(name, npub(1) + ",npub1mistyped,a/b");
    EXPECT_TRUE(wrong.starts_with("NGIT_" + name + " (environment): ")) << wrong;
    EXPECT_NE(wrong.find("holds \"npub1mistyped\", which is no npub"), std::string::npos) << wrong;
    EXPECT_NE(wrong.find("and \"a/b\""), std::string::npos) << wrong;
    EXPECT_EQ(wrong_with(name, author(1).hex() + ", " + npub(2)), "");
  }
  EXPECT_NE(wrong_with("EVENT_BLACKLIST", "project").find("\"project\""), std::string::npos);
}

TEST(ListSettings, NeverShowASecret) {
  const std::string wrong = wrong_with("EVENT_BLACKLIST", "nsec1thisissecret");
  EXPECT_NE(wrong.find("a secret key"), std::string::npos) << wrong;
  EXPECT_EQ(wrong.find("thisissecret"), std::string::npos) << wrong;
}

TEST(ListSettings, OfWelcomePeopleNameSomebody) {  // R3
  for (const std::string name : {"REPOSITORY_WHITELIST", "ARCHIVE_WHITELIST"}) {
    EXPECT_NE(wrong_with(name, ",").find("names nobody"), std::string::npos);
    EXPECT_EQ(wrong_with(name, "project"), "");
  }
  EXPECT_EQ(wrong_with("EVENT_BLACKLIST", ","), "");
}

TEST_F(ListFiles, AreReadLineByLine) {  // R1
  const std::string text = "# people\n" + npub(1) + "\n\n  " + author(2).hex() +
                           " # a spammer\r\n" + npub(3) + ", " + npub(4);
  const auto list = parse_access_list(npub(5) + "," + file(text), ListOf::Authors, MayBeEmpty::Yes);
  ASSERT_TRUE(list) << list.error().what;
  EXPECT_EQ(list->size(), 5U);
  for (std::uint32_t number = 1; number <= 5; ++number)
    EXPECT_TRUE(list->matches_author(author(number))) << number;
}

TEST_F(ListFiles, AreNamedWithTheLineThatIsWrong) {  // R2
  const std::string wrong = wrong_with("EVENT_BLACKLIST", file(npub(1) + "\nnobody\n"));
  EXPECT_NE(wrong.find("whose line 2 has \"nobody\""), std::string::npos) << wrong;
  // A file does not name files: it may be somebody else's.
  const std::string nested = wrong_with("REPOSITORY_BLACKLIST", file("a,\n@/etc/passwd\n"));
  EXPECT_NE(nested.find("\"@/etc/passwd\""), std::string::npos) << nested;
}

TEST_F(ListFiles, MustBeThere) {
  const std::string wrong = wrong_with("EVENT_BLACKLIST", "@" + folder_.path().string() + "/none");
  EXPECT_NE(wrong.find("cannot be read (No such file"), std::string::npos) << wrong;
  EXPECT_NE(wrong_with("EVENT_BLACKLIST", "@" + folder_.path().string()).find("cannot be read"),
            std::string::npos);
  EXPECT_EQ(wrong_with("EVENT_BLACKLIST", file("# nobody yet\n")), "");
  EXPECT_NE(wrong_with("REPOSITORY_WHITELIST", file("# nobody yet\n")).find("names nobody"),
            std::string::npos);
}

}  // namespace setting_lists_test
}  // namespace graspd::app
