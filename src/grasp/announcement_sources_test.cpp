#include "grasp/announcement_sources.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/rng.h"

namespace graspd::grasp::announcement_sources_test {
namespace {

Coordinate place(unsigned number) {
  return {nostr::PublicKey(), *Identifier::parse(fmt::format("r{}", number))};
}

TEST(AnnouncementSources, CountWhatEachHas) {
  AnnouncementSources sources;
  sources.put(place(1), "192.0.2.1");
  sources.put(place(2), "192.0.2.1");
  sources.put(place(2), "192.0.2.9");  // a newer version keeps its place
  EXPECT_EQ(sources.count("192.0.2.1"), 2U);
  EXPECT_EQ(sources.count("192.0.2.9"), 0U);
  sources.erase(place(1));
  sources.erase(place(1));
  EXPECT_EQ(sources.count("192.0.2.1"), 1U);
  EXPECT_EQ(sources.size(), 1U);
}

TEST(AnnouncementSources, WhoHasMostLosesTheOldest) {  // R2
  AnnouncementSources sources;
  for (unsigned i = 0; i < 3; ++i) sources.put(place(i), "192.0.2.1");
  sources.put(place(7), "192.0.2.2");
  EXPECT_EQ(sources.next_to_go("192.0.2.3"), place(0));
  EXPECT_EQ(sources.next_to_go("192.0.2.2"), place(0));
  EXPECT_EQ(sources.next_to_go("192.0.2.1"), std::nullopt);  // that is who
  sources.erase(place(0));
  EXPECT_EQ(sources.next_to_go("192.0.2.2"), std::nullopt);  // both would have two
}

TEST(AnnouncementSources, ThoseWithoutANameLoseNothing) {  // R1
  AnnouncementSources sources;
  sources.put(place(1), "");
  sources.put(place(2), "");
  sources.put(place(3), "");
  EXPECT_EQ(sources.next_to_go("192.0.2.1"), std::nullopt);
  sources.put(place(4), "192.0.2.1");
  EXPECT_EQ(sources.next_to_go(""), place(4));
}

TEST(AnnouncementSources, AgreeWithAPlainListOfThem) {
  AnnouncementSources sources;
  std::map<Coordinate, std::string> twin;
  core::Rng rng(5);
  for (int round = 0; round < 5'000; ++round) {
    const auto key = place(static_cast<unsigned>(rng.below(40)));
    const std::string source = fmt::format("s{}", rng.below(4));
    if (rng.below(2) == 0) {
      sources.put(key, source);
      twin.emplace(key, source);
    } else {
      sources.erase(key);
      twin.erase(key);
    }
    std::map<std::string, std::size_t> counts;
    for (const auto& [coordinate, from] : twin) ++counts[from];
    std::size_t most = 0;
    for (const auto& [from, count] : counts) {
      ASSERT_EQ(sources.count(from), count);
      most = std::max(most, count);
    }
    const auto gone = sources.next_to_go("new");
    ASSERT_EQ(gone.has_value(), most > 1);
    if (gone) {
      ASSERT_EQ(counts.at(twin.at(*gone)), most);
    }
    ASSERT_EQ(sources.size(), twin.size());
  }
}

}  // namespace
}  // namespace graspd::grasp::announcement_sources_test
