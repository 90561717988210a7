#include "git/tree_filter.h"

#include <gtest/gtest.h>

#include "git/pkt_line.h"

namespace graspd::git {
namespace tree_filter_test {
namespace {

std::string request(std::string_view filter) {
  std::string text;
  append_pkt(text, "command=fetch\n");
  text += "0001";
  append_pkt(text, "thin-pack\n");
  append_pkt(text, filter);
  append_pkt(text, "want 0123456789012345678901234567890123456789\n");
  return text + "0000";
}

TEST(TreeFilter, IsAllowedUpToTheSecondLevel) {
  for (const char* filter : {"filter tree:0\n", "filter tree:1", "filter tree:2\n"})
    EXPECT_EQ(tree_filter_of(request(filter)), TreeFilter::Allowed) << filter;
}

TEST(TreeFilter, IsTooDeepHoweverItIsWritten) {
  for (const char* filter : {"filter tree:3\n", "filter tree:10\n", "filter tree:0x3",
                             "filter tree:1k", "filter tree:02", "filter tree:", "filter tree:-1"})
    EXPECT_EQ(tree_filter_of(request(filter)), TreeFilter::TooDeep) << filter;
}

TEST(TreeFilter, IsNotThereInOtherRequests) {
  for (const char* filter : {"filter blob:none\n", "ofs-delta\n", "filter sparse:oid=main\n"})
    EXPECT_EQ(tree_filter_of(request(filter)), TreeFilter::None) << filter;
  EXPECT_EQ(tree_filter_of(""), TreeFilter::None);
  EXPECT_EQ(tree_filter_of("rubbish"), TreeFilter::None);
  EXPECT_EQ(tree_filter_of(request("filter tree:9").substr(0, 40)), TreeFilter::None);
}

}  // namespace
}  // namespace tree_filter_test
}  // namespace graspd::git
