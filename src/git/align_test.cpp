#include "git/align.h"

#include <gtest/gtest.h>

#include "git/refs_testing.h"

namespace graspd::git {
namespace align_test {

const std::optional<RefName> kMain = named("refs/heads/main");
const std::optional<RefName> kMaster = named("refs/heads/master");

TEST(Align, DeletesCreatesAndMoves) {  // R1 R4
  const auto transaction =
      align(refs({{"refs/heads/main", 'a'}, {"refs/heads/same", 'b'}, {"refs/tags/old", 'c'}}),
            refs({{"refs/heads/main", 'd'}, {"refs/heads/new", 'e'}, {"refs/heads/same", 'b'}}),
            std::nullopt, kMain);
  const RefTransaction expected = {{{named("refs/tags/old"), oid('c'), std::nullopt},
                                    {named("refs/heads/main"), oid('a'), oid('d')},
                                    {named("refs/heads/new"), std::nullopt, oid('e')}},
                                   std::nullopt};
  EXPECT_EQ(transaction, expected);
}

TEST(Align, LeavesOtherSpacesAlone) {  // R1
  const auto transaction =
      align(refs({{"refs/nostr/1", 'a'}, {"refs/graspd/x", 'b'}, {"refs/heads/main", 'c'}}),
            refs({{"refs/heads/main", 'c'}, {"refs/notes/x", 'd'}}), kMain, kMain);
  EXPECT_TRUE(transaction.empty());
}

TEST(Align, MovesHeadOnlyToADeclaredBranch) {  // R2
  const Refs declared = refs({{"refs/heads/main", 'a'}, {"refs/tags/v1", 'a'}});
  EXPECT_EQ(align(declared, declared, kMain, kMaster).head, kMain);
  EXPECT_EQ(align(declared, declared, kMain, std::nullopt).head, kMain);
  EXPECT_EQ(align(declared, declared, kMain, kMain).head, std::nullopt);
  EXPECT_EQ(align(declared, declared, kMaster, kMain).head, std::nullopt);
  EXPECT_EQ(align(declared, declared, named("refs/tags/v1"), kMain).head, std::nullopt);
  EXPECT_EQ(align(declared, declared, std::nullopt, kMain).head, std::nullopt);
}

TEST(Align, LeavesHeadNowhereOnlyWhenThereIsNoBranch) {  // R2
  const auto head_for = [](const Refs& declared, const std::optional<RefName>& head) {
    return align(refs({{"refs/heads/gone", 'a'}}), declared, head, named("refs/heads/gone")).head;
  };
  const Refs both =
      refs({{"refs/heads/a", 'a'}, {"refs/heads/main", 'a'}, {"refs/heads/master", 'a'}});
  EXPECT_EQ(head_for(both, std::nullopt), kMain);
  EXPECT_EQ(head_for(both, named("refs/heads/nowhere")), kMain);
  EXPECT_EQ(head_for(refs({{"refs/heads/a", 'a'}, {"refs/heads/master", 'a'}}), {}), kMaster);
  EXPECT_EQ(
      head_for(refs({{"refs/heads/b", 'a'}, {"refs/heads/c", 'a'}, {"refs/tags/a", 'a'}}), {}),
      named("refs/heads/b"));
  EXPECT_EQ(head_for(refs({{"refs/tags/a", 'a'}}), std::nullopt), std::nullopt);
}

TEST(Align, TouchesNothingForAStateWithoutRefs) {  // R3
  EXPECT_TRUE(align(refs({{"refs/heads/main", 'a'}}), {}, kMaster, kMain).empty());
}

TEST(Align, KnowsWhenANameBecomesADirectory) {  // R4
  const Refs file = refs({{"refs/heads/a", '1'}});
  const Refs directory = refs({{"refs/heads/a/b/c", '2'}});
  const Refs neighbour = refs({{"refs/heads/a-b", '3'}});
  EXPECT_TRUE(split_needed(align(file, directory, std::nullopt, std::nullopt)));
  EXPECT_TRUE(split_needed(align(directory, file, std::nullopt, std::nullopt)));
  EXPECT_FALSE(split_needed(align(file, neighbour, std::nullopt, std::nullopt)));
  EXPECT_FALSE(split_needed(align(file, file, std::nullopt, std::nullopt)));
}

}  // namespace align_test
}  // namespace graspd::git
