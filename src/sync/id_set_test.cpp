#include "sync/id_set.h"

#include <set>

#include "core/rng.h"
#include "gtest/gtest.h"

namespace graspd::sync {
namespace id_set_test {

using Twin = std::set<std::uint32_t>;

void grow(IdSet& set, Twin& twin, core::Rng& rng) {
  for (int i = 0; i < 300; ++i) {
    const auto id = static_cast<std::uint32_t>(rng.below(70'000));
    if (rng.one_in(4)) {
      set.remove(id);
      twin.erase(id);
    } else {
      set.add(id);
      twin.insert(id);
    }
  }
}
std::vector<std::uint32_t> listed(const Twin& twin) { return {twin.begin(), twin.end()}; }

TEST(IdSet, DoesSetAlgebraAsASetOfNumbersDoes) {
  core::Rng rng(7);
  for (int round = 0; round < 20; ++round) {
    IdSet a, b;
    Twin twin_a, twin_b, both, left;
    grow(a, twin_a, rng);
    grow(b, twin_b, rng);
    for (const auto id : twin_a) (twin_b.contains(id) ? both : left).insert(id);
    Twin all = twin_a;
    all.insert(twin_b.begin(), twin_b.end());
    EXPECT_EQ((a | b).to_vector(), listed(all));
    EXPECT_EQ((a - b).to_vector(), listed(left));
    EXPECT_EQ((a & b).to_vector(), listed(both));
    EXPECT_EQ(a.size(), twin_a.size());
  }
}

TEST(IdSet, IsAValue) {
  IdSet a{1, 2, 3};
  IdSet b = a;
  b.add(4);
  EXPECT_EQ(a.size(), 3u);
  const IdSet moved = std::move(b);
  EXPECT_TRUE(moved.contains(4));
  a = moved;
  EXPECT_EQ(a, moved);
  a.clear();
  EXPECT_TRUE(a.empty());
}

TEST(IdSet, KeepsAFullRangeInAlmostNothing) {
  IdSet set;
  for (std::uint32_t id = 0; id < 500'000; ++id) set.add(id);
  set.compact();
  EXPECT_LT(set.bytes(), 1000u);
}

}  // namespace id_set_test
}  // namespace graspd::sync
