#include "git/fingerprint.h"

#include <gtest/gtest.h>

namespace graspd::git::fingerprint_test {
namespace {

const Fingerprint kOne{1, 2, {10, 20}};

TEST(Fingerprints, HoldWhatIsStillThere) {  // R2
  EXPECT_TRUE(kOne.still_holds(kOne));
  EXPECT_TRUE((Fingerprint{1, 2, {10, 15, 20}}).still_holds(kOne));
  EXPECT_FALSE((Fingerprint{1, 2, {10}}).still_holds(kOne));
  EXPECT_FALSE((Fingerprint{1, 2, {30}}).still_holds(kOne));
}

TEST(Fingerprints, AreOtherOnesInAFolderThatWasMadeAnew) {  // R1
  EXPECT_FALSE((Fingerprint{7, 2, {10, 20}}).still_holds(kOne));
}

TEST(Fingerprints, AreOtherOnesWhenRefsMove) {
  EXPECT_FALSE((Fingerprint{1, 7, {10, 20}}).still_holds(kOne));
  const Oid oid = *Oid::parse(std::string(40, 'a'));
  const Oid other = *Oid::parse(std::string(40, 'b'));
  const RefName main = *RefName::parse("refs/heads/main");
  EXPECT_NE(number_of(Refs{{main, oid}}), number_of(Refs{{main, other}}));
  EXPECT_NE(number_of(Refs{{main, oid}}), number_of(Refs{}));
}

TEST(Fingerprints, AreReadAsTheyWereWritten) {
  EXPECT_EQ(to_text(kOne), "1 2 a 14");
  EXPECT_EQ(parse_fingerprint(to_text(kOne)), kOne);
  const Fingerprint empty{~0ULL, 0, {}};
  EXPECT_EQ(parse_fingerprint(to_text(empty)), empty);
  for (const char* bad : {"", "1", "x 2", "1 2 x", "1 2 5 4", "1 2  3", "11111111111111111 2"})
    EXPECT_FALSE(parse_fingerprint(bad)) << bad;
}

TEST(Fingerprints, RememberVeryManyPacksAsOneNumber) {
  std::vector<std::uint64_t> many;
  for (std::uint64_t i = kPacksInFingerprint + 1; i > 0; --i) many.push_back(i);
  EXPECT_EQ(numbers_of_packs(many).size(), 1U);
  many.pop_back();
  const auto few = numbers_of_packs(many);
  EXPECT_EQ(few.size(), kPacksInFingerprint);
  EXPECT_EQ(few.front(), 2U);
}

}  // namespace
}  // namespace graspd::git::fingerprint_test
