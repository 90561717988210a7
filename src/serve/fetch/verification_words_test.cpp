#include "serve/fetch/verification_words.h"

#include <gtest/gtest.h>

namespace graspd::serve {
namespace verification_words_test {

using gitio::Problem;
using gitio::ProblemKind;
using gitio::Verification;

const git::RefName kMain = *git::RefName::parse("refs/heads/main");
const git::Oid kOld = *git::Oid::parse(std::string(40, 'a'));
const git::Oid kNew = *git::Oid::parse(std::string(40, 'b'));

Verification found(std::vector<Problem> problems, std::size_t more = 0) {
  return {problems.size() + more, std::move(problems)};
}

TEST(VerificationWords, SayNothingOfWhatIsWell) { EXPECT_EQ(describe(Verification{}), ""); }

TEST(VerificationWords, NameEveryProblem) {
  EXPECT_EQ(describe(Problem{ProblemKind::RefElsewhere, kMain, kNew, kOld}),
            "refs/heads/main is at aaaaaaaaaa, not at bbbbbbbbbb as signed");
  EXPECT_EQ(describe(Problem{ProblemKind::RefMissing, kMain, kNew, {}}),
            "refs/heads/main is missing");
  EXPECT_EQ(describe(Problem{ProblemKind::RefUndeclared, kMain, {}, kOld}),
            "refs/heads/main exists but is not signed");
  EXPECT_EQ(describe(Problem{ProblemKind::ObjectMissing, kMain, kNew, {}}),
            "object bbbbbbbbbb of refs/heads/main is missing");
  EXPECT_EQ(describe(Problem{ProblemKind::Torn, {}, {}, {}}), "objects are missing in its history");
  EXPECT_EQ(describe(Problem{ProblemKind::HeadElsewhere, kMain, {}, {}}),
            "HEAD does not point to refs/heads/main as signed");
}

TEST(VerificationWords, TellTheWorstAndHowManyMore) {  // R1
  EXPECT_EQ(describe(found(
                {{ProblemKind::RefMissing, kMain, kNew, {}}, {ProblemKind::Torn, {}, {}, {}}}, 3)),
            "objects are missing in its history, and 4 more");
}

TEST(VerificationWords, HoldNothingStrange) {  // R2
  const auto odd = git::RefName::parse("refs/heads/\xff\xfe");
  EXPECT_EQ(describe(Problem{ProblemKind::RefUndeclared, odd, {}, kOld}),
            "refs/heads/?? exists but is not signed");
}

TEST(VerificationWords, KnowRefsFromObjects) {
  const auto refs = found({{ProblemKind::RefMissing, kMain, kNew, {}}});
  const auto objects = found({{ProblemKind::Torn, {}, {}, {}}});
  EXPECT_TRUE(has_wrong_refs(refs) && !has_lost_objects(refs));
  EXPECT_TRUE(!has_wrong_refs(objects) && has_lost_objects(objects));
  // Objects may be among those that are not listed.
  EXPECT_TRUE(has_lost_objects(found({{ProblemKind::RefMissing, kMain, kNew, {}}}, 1)));
}

}  // namespace verification_words_test
}  // namespace graspd::serve
