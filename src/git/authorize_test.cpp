#include "git/authorize.h"

#include <gtest/gtest.h>

#include "core/rng.h"
#include "git/refs_testing.h"

namespace graspd::git {
namespace authorize_test {

const std::string kWhy = "no state";

// The reason per command, "" where there is none.
std::vector<std::string> reasons(const Refs& current, const std::vector<Command>& commands,
                                 const std::optional<Declared>& governing) {
  std::vector<std::string> found;
  for (const auto& verdict : authorize_branches(current, commands, governing, kWhy).verdicts) {
    const auto* refusal = std::get_if<Refuse>(&verdict);
    found.push_back(refusal ? refusal->reason : "");
  }
  return found;
}

std::string hex(char digit) { return oid(digit).hex(); }

TEST(Authorize, AppliesAPushThatGivesTheDeclaredRefs) {  // R2
  const auto decision = authorize_branches(
      refs({{"refs/heads/main", 'a'}, {"refs/heads/old", 'b'}, {"refs/heads/still", 'e'}}),
      std::vector<Command>{command('a', 'c', "refs/heads/main"),
                           command('b', '0', "refs/heads/old"), command('0', 'd', "refs/tags/v1")},
      Declared{refs({{"refs/heads/main", 'c'}, {"refs/heads/still", 'e'}, {"refs/tags/v1", 'd'}})},
      kWhy);
  EXPECT_TRUE(decision.accepted());
  EXPECT_EQ(decision.verdicts, std::vector<CommandVerdict>(3, Apply{}));
}

TEST(Authorize, DoesNotCareAboutOldOids) {  // R2
  EXPECT_EQ(reasons(refs({{"refs/heads/main", 'a'}}), {command('f', 'c', "refs/heads/main")},
                    Declared{refs({{"refs/heads/main", 'c'}})}),
            std::vector<std::string>{""});
}

TEST(Authorize, LetsWhatIsAlreadyTherePass) {  // R1
  const Refs current = refs({{"refs/heads/main", 'a'}});
  const std::vector<Command> commands = {command('9', 'a', "refs/heads/main"),
                                         command('b', '0', "refs/heads/gone")};
  const std::vector<CommandVerdict> expected(2, AlreadyThere{});
  const auto without_state = authorize_branches(current, commands, std::nullopt, kWhy);
  EXPECT_TRUE(without_state.accepted());
  EXPECT_EQ(without_state.verdicts, expected);
  EXPECT_EQ(authorize_branches(current, commands, Declared{current}, kWhy).verdicts, expected);
  const Declared elsewhere{refs({{"refs/heads/main", 'f'}})};
  EXPECT_EQ(authorize_branches(current, commands, elsewhere, kWhy).verdicts, expected);
}

TEST(Authorize, MixesWhatIsThereWithWhatChanges) {  // R1 R2
  const auto decision = authorize_branches(
      refs({{"refs/heads/main", 'a'}}),
      std::vector<Command>{command('0', 'a', "refs/heads/main"), command('0', 'b', "refs/tags/v1")},
      Declared{refs({{"refs/heads/main", 'a'}, {"refs/tags/v1", 'b'}})}, kWhy);
  const std::vector<CommandVerdict> expected = {AlreadyThere{}, Apply{}};
  EXPECT_EQ(decision.verdicts, expected);
}

TEST(Authorize, RefusesChangesWithoutAState) {  // R4
  EXPECT_EQ(reasons({}, {command('0', 'a', "refs/heads/main"), command('0', 'b', "refs/tags/v1")},
                    std::nullopt),
            (std::vector<std::string>{kWhy, kWhy}));
}

TEST(Authorize, TellsEachRefWhatIsWrongWithIt) {  // R3
  const Refs current = refs({{"refs/heads/keep", '1'}, {"refs/heads/main", '2'}});
  const std::vector<Command> commands = {
      command('2', 'a', "refs/heads/main"), command('1', '0', "refs/heads/keep"),
      command('0', 'b', "refs/tags/new"), command('0', 'c', "refs/tags/good")};
  const Declared declared{
      refs({{"refs/heads/keep", '1'}, {"refs/heads/main", 'd'}, {"refs/tags/good", 'c'}})};
  const auto found = reasons(current, commands, declared);
  const std::string main =
      "refs/heads/main would be at " + hex('a') + " but the state declares " + hex('d');
  const std::string added =
      "refs/tags/new would exist at " + hex('b') + " but the state does not declare it";
  EXPECT_EQ(found[0], main);
  EXPECT_EQ(found[1], "Cannot delete ref still declared in state: refs/heads/keep");
  EXPECT_EQ(found[2], added);
  EXPECT_EQ(found[3],
            "the push is refused as a whole: refs/heads/keep missing (the state declares " +
                hex('1') + "), " + main + ", " + added);
}

TEST(Authorize, NamesRefsThePushForgets) {  // R2 R3
  const auto found =
      reasons(refs({{"refs/heads/stale", 'e'}}), {command('0', 'a', "refs/heads/main")},
              Declared{refs({{"refs/heads/main", 'a'}, {"refs/tags/v1", 'b'}})});
  EXPECT_EQ(found[0], "the push is refused as a whole: refs/heads/stale would exist at " +
                          hex('e') +
                          " but the state does not declare it, refs/tags/v1 missing (the state "
                          "declares " +
                          hex('b') + ")");
}

TEST(Authorize, HintsWherePullRequestsGo) {
  const auto found = reasons({}, {command('0', 'a', "refs/heads/pr/fix")}, Declared{});
  EXPECT_NE(found[0].find("sent over nostr as refs/nostr/<event-id>"), std::string::npos);
}

TEST(Authorize, RefusesEverythingUnderAnEmptyState) {
  EXPECT_NE(reasons({}, {command('0', 'a', "refs/heads/main")}, Declared{})[0], "");
}

// The rules read aloud: what authorize_branches() finds out in one walk.
bool naively_accepted(const Refs& current, const std::vector<Command>& commands,
                      const std::optional<Declared>& governing) {
  Refs after = current;
  for (const auto& command : commands) {
    after.erase(command.ref);
    if (!command.is_delete()) after.emplace(command.ref, command.new_oid);
  }
  return after == current || (governing && after == governing->refs);
}

Refs random_refs(core::Rng& rng) {
  Refs made;
  for (const auto* name : {"refs/heads/a", "refs/heads/b", "refs/tags/a"}) {
    if (rng.below(2) == 0) made.emplace(named(name), oid(rng.below(2) == 0 ? 'a' : 'b'));
  }
  return made;
}

std::vector<Command> random_commands(core::Rng& rng) {
  std::vector<Command> made;
  for (const auto* name : {"refs/tags/a", "refs/heads/b", "refs/heads/a"}) {
    const char digits[] = {'0', 'a', 'b'};
    if (rng.below(2) == 0) made.push_back(command('c', digits[rng.below(3)], name));
  }
  return made;
}

TEST(Authorize, DecidesAsItsNaiveTwin) {  // R1 R2 R4
  core::Rng rng(1);
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    const Refs current = random_refs(rng);
    const auto commands = random_commands(rng);
    std::optional<Declared> governing;
    if (rng.below(4) != 0) governing = Declared{random_refs(rng)};
    const auto decision = authorize_branches(current, commands, governing, kWhy);
    ASSERT_EQ(decision.verdicts.size(), commands.size());
    ASSERT_EQ(decision.accepted(), naively_accepted(current, commands, governing)) << round;
    accepted += decision.accepted() ? 1 : 0;
  }
  EXPECT_GT(accepted, 1000);
}

// A repository of many refs, and a push that moves them all.
struct Many {
  static constexpr std::size_t kCount = 10'000;
  Refs current;
  Refs declared;
  std::vector<Command> commands;

  Many() {
    for (std::size_t i = 0; i < kCount; ++i) {
      const RefName name = named("refs/heads/branch-" + std::to_string(i));
      current.emplace(name, oid('a'));
      declared.emplace(name, oid('b'));
      commands.push_back({oid('a'), oid('b'), name});
    }
  }
};

TEST(Authorize, TakesThousandsOfRefs) {
  const Many many;
  EXPECT_TRUE(
      authorize_branches(many.current, many.commands, Declared{many.declared}, kWhy).accepted());
}

TEST(Authorize, BoundsWhatItSaysAboutThousandsOfRefs) {  // R3
  Many many;
  for (int i = 0; i < 8; ++i)
    many.declared.emplace(named("refs/tags/" + std::to_string(i)), oid('c'));
  const auto found = reasons(many.current, many.commands, Declared{many.declared});
  EXPECT_TRUE(found.front().ends_with(" and 3 more")) << found.front();
  EXPECT_LT(found.back().size(), 100);
  EXPECT_TRUE(found.back().starts_with("the push is refused as a whole"));
}

}  // namespace authorize_test
}  // namespace graspd::git
