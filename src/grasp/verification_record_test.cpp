#include "grasp/verification_record.h"

#include <gtest/gtest.h>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace verification_record_test {

using testing::coordinate;

TEST(VerificationRecords, AreReadAsTheyWereWritten) {
  VerificationRecord record{.ruling = {{12, *nostr::EventId::from_hex(std::string(64, 'a'))}, true},
                            .looked_at = 30,
                            .made_from = git::Fingerprint{7, 8, {1, 2}}};
  record.health = {.synced_at = 10,
                   .verified_at = 20,
                   .behind = "a newer state waits",
                   .problem = "refs/heads/main is missing, and 3 more",
                   .compared = Comparison{"https://peer.example/a.git", 25, "it is not there"}};
  const auto note = verification_note(coordinate(1, "with: a colon"), record);
  const auto read = parse_verification(note.key, *note.value);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->repo, coordinate(1, "with: a colon"));
  EXPECT_EQ(read->record.health, record.health);
  EXPECT_EQ(read->record.ruling.version.id, record.ruling.version.id);
  EXPECT_TRUE(read->record.ruling.waiting);
  EXPECT_EQ(read->record.looked_at, 30);
  EXPECT_EQ(read->record.made_from, record.made_from);
}

TEST(VerificationRecords, KeepNothingThatIsNotKnown) {
  const auto note = verification_note(coordinate(1), VerificationRecord{});
  const auto read = parse_verification(note.key, *note.value);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->record.health, GitHealth{});
}

TEST(VerificationRecords, AreLinesWhateverTheyHold) {
  VerificationRecord record;
  record.health.problem = "two\nverified 9";
  const auto note = verification_note(coordinate(1), record);
  EXPECT_FALSE(parse_verification(note.key, *note.value)->record.health.verified_at);
}

TEST(VerificationRecords, ReadOverWhatALaterVersionWrote) {
  const auto note = verification_note(coordinate(1), VerificationRecord{});
  EXPECT_TRUE(parse_verification(note.key, *note.value + "colour blue\n"));
}

TEST(VerificationRecords, RefuseWhatIsNoRecord) {
  const auto note = verification_note(coordinate(1), VerificationRecord{});
  EXPECT_FALSE(parse_verification("verified/nobody", *note.value));
  EXPECT_FALSE(parse_verification(note.key, ""));
  EXPECT_FALSE(parse_verification(note.key, "state x y z\n"));
}

TEST(VerificationRecords, HaveKeysThatTheStoreTakes) {
  const auto note = verification_note(coordinate(1, std::string(kIdentifierBytesMax, 'x')), {});
  EXPECT_LE(note.key.size(), store::kNoteKeyMax);
  EXPECT_FALSE(note.value);
}

}  // namespace verification_record_test
}  // namespace graspd::grasp
