#include "grasp/maintainers.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "core/rng.h"
#include "store/testing/events.h"

namespace graspd::grasp {
namespace maintainers_test {

using nostr::PublicKey;
using store::testing::author;
using Keys = std::set<PublicKey>;

constexpr Membership kBoth[] = {Membership::Compatible, Membership::Reciprocal};

Keys keys(std::initializer_list<std::uint32_t> numbers) {
  Keys out;
  for (const auto number : numbers) out.insert(author(number));
  return out;
}
Roles old_format(std::initializer_list<std::uint32_t> maintainers) {
  return {false, true, keys(maintainers), {}};
}
// Role format: `leads` are M, `others` m; the author is among the leads if it names itself.
Roles with_roles(std::uint32_t self, std::initializer_list<std::uint32_t> leads,
                 std::initializer_list<std::uint32_t> others) {
  Roles roles{true, true, keys(others), keys(leads)};
  roles.listed.merge(keys(leads));
  roles.listed.erase(author(self));
  return roles;
}
Roles left(Roles roles) {
  roles.role_format = true;
  roles.author_active = false;
  return roles;
}

RolesByAuthor group(std::initializer_list<std::pair<std::uint32_t, Roles>> announcements) {
  RolesByAuthor out;
  for (const auto& [by, roles] : announcements) out.emplace(author(by), roles);
  return out;
}

// The rules once more, as plainly as they can be said.
Authority grow_naively(const PublicKey& root, const RolesByAuthor& all, Membership membership) {
  Authority out;
  out.root = root;
  out.members = {root};
  const auto lists_a_member = [&](const Roles& roles) {
    return std::any_of(roles.listed.begin(), roles.listed.end(),
                       [&](const PublicKey& key) { return out.contains(key); });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const PublicKey& member : Keys(out.members)) {
      if (!all.count(member)) continue;
      const Roles& says = all.at(member);
      for (const PublicKey& key : says.listed) {
        const bool announced = all.count(key) > 0;
        const bool is_left = announced && !all.at(key).author_active;
        const bool at_once = membership == Membership::Compatible && !says.role_format;
        const bool mutual = announced && lists_a_member(all.at(key));
        if (!is_left && (at_once || mutual)) changed |= out.members.insert(key).second;
      }
    }
  }
  for (const PublicKey& member : out.members) {
    if (!all.count(member)) continue;
    for (const PublicKey& key : all.at(member).listed) {
      const bool is_left = all.count(key) && !all.at(key).author_active;
      if (!is_left && !out.contains(key)) out.invited.insert(key);
    }
  }
  return out;
}

Authority resolve_naively(const PublicKey& at, const RolesByAuthor& all, Membership membership,
                          Keys visited = {}) {
  const bool followed = !visited.empty();
  const auto fail = [](NoRoot reason) { return Authority{{}, reason, {}, {}}; };
  if (visited.count(at)) return fail(NoRoot::LeadCycle);
  if (!all.count(at)) return fail(followed ? NoRoot::LeadMissing : NoRoot::SelectedMissing);
  const Roles& roles = all.at(at);
  if (roles.active_leads.size() > 1) return fail(NoRoot::AmbiguousLeads);
  if (roles.active_leads.empty() && followed) return fail(NoRoot::LeadDoesNotNameItself);
  if (roles.active_leads.empty() && !roles.author_active) return fail(NoRoot::AuthorInactive);
  if (roles.active_leads.empty() || *roles.active_leads.begin() == at) {
    return grow_naively(at, all, membership);
  }
  visited.insert(at);
  return resolve_naively(*roles.active_leads.begin(), all, membership, visited);
}

struct RootCase {
  const char* what;
  RolesByAuthor announcements;
  std::optional<std::uint32_t> root;
  std::optional<NoRoot> failure;
};

std::vector<RootCase> root_cases() {
  return {
      {"nothing announced", {}, {}, NoRoot::SelectedMissing},
      {"older format", group({{1, old_format({2})}}), 1, {}},
      {"no lead", group({{1, with_roles(1, {}, {2})}}), 1, {}},
      {"no lead, left", group({{1, left(with_roles(1, {}, {2}))}}), {}, NoRoot::AuthorInactive},
      {"own lead", group({{1, with_roles(1, {1}, {})}}), 1, {}},
      {"one step", group({{1, with_roles(1, {2}, {})}, {2, with_roles(2, {2}, {})}}), 2, {}},
      {"left, but points on",
       group({{1, left(with_roles(1, {2}, {}))}, {2, with_roles(2, {2}, {})}}),
       2,
       {}},
      {"three steps",
       group({{1, with_roles(1, {2}, {})},
              {2, with_roles(2, {3}, {})},
              {3, with_roles(3, {4}, {})},
              {4, with_roles(4, {4}, {})}}),
       4,
       {}},
      {"lead missing", group({{1, with_roles(1, {2}, {})}}), {}, NoRoot::LeadMissing},
      {"lead of the older format",
       group({{1, with_roles(1, {2}, {})}, {2, old_format({1})}}),
       {},
       NoRoot::LeadDoesNotNameItself},
      {"lead without lead",
       group({{1, with_roles(1, {2}, {})}, {2, with_roles(2, {}, {1})}}),
       {},
       NoRoot::LeadDoesNotNameItself},
      {"circle of two",
       group({{1, with_roles(1, {2}, {})}, {2, with_roles(2, {1}, {})}}),
       {},
       NoRoot::LeadCycle},
      {"circle beyond",
       group(
           {{1, with_roles(1, {2}, {})}, {2, with_roles(2, {3}, {})}, {3, with_roles(3, {2}, {})}}),
       {},
       NoRoot::LeadCycle},
      {"two leads", group({{1, with_roles(1, {2, 3}, {})}}), {}, NoRoot::AmbiguousLeads},
      {"two leads, itself one",
       group({{1, with_roles(1, {1, 2}, {})}}),
       {},
       NoRoot::AmbiguousLeads},
      {"two leads one step on",
       group({{1, with_roles(1, {2}, {})}, {2, with_roles(2, {2, 3}, {})}}),
       {},
       NoRoot::AmbiguousLeads},
  };
}

TEST(Authority, FindsItsRootOrSaysWhyNot) {  // R1
  for (const RootCase& c : root_cases()) {
    for (const Membership membership : kBoth) {
      const auto authority = resolve(author(1), c.announcements, membership);
      EXPECT_EQ(authority.failure, c.failure) << c.what;
      const auto root = c.root ? std::optional(author(*c.root)) : std::nullopt;
      EXPECT_EQ(authority.root, root) << c.what;
      EXPECT_EQ(authority.members.empty(), !c.root) << c.what;
      EXPECT_EQ(authority, resolve_naively(author(1), c.announcements, membership)) << c.what;
    }
  }
}

struct MemberCase {
  const char* what;
  RolesByAuthor announcements;
  Keys reciprocal, invited;  // in reciprocal mode
  Keys compatible;           // members in compatible mode
};

std::vector<MemberCase> member_cases() {
  return {
      {"named, without announcement", group({{1, old_format({2})}}), keys({1}), keys({2}),
       keys({1, 2})},
      {"named, announces, does not list back", group({{1, old_format({2})}, {2, old_format({})}}),
       keys({1}), keys({2}), keys({1, 2})},
      {"older pair",
       group({{1, old_format({2})}, {2, old_format({1})}}),
       keys({1, 2}),
       {},
       keys({1, 2})},
      {"older chain", group({{1, old_format({2})}, {2, old_format({3})}, {3, old_format({4})}}),
       keys({1}), keys({2}), keys({1, 2, 3, 4})},
      {"roles need an answer", group({{1, with_roles(1, {1}, {2})}}), keys({1}), keys({2}),
       keys({1})},
      {"roles answered",
       group({{1, with_roles(1, {1}, {2})}, {2, with_roles(2, {1}, {2})}}),
       keys({1, 2}),
       {},
       keys({1, 2})},
      {"roles answered in the older format",
       group({{1, with_roles(1, {1}, {2})}, {2, old_format({1})}}),
       keys({1, 2}),
       {},
       keys({1, 2})},
      {"roles, then an older list", group({{1, with_roles(1, {1}, {2})}, {2, old_format({1, 3})}}),
       keys({1, 2}), keys({3}), keys({1, 2, 3})},
      {"older list, then roles", group({{1, old_format({2})}, {2, with_roles(2, {1}, {3})}}),
       keys({1, 2}), keys({3}), keys({1, 2})},
      {"left, though listed",
       group({{1, old_format({2})}, {2, left(with_roles(2, {1}, {}))}}),
       keys({1}),
       {},
       keys({1})},
      {"answers to another member",
       group({{1, with_roles(1, {1}, {2, 3})},
              {2, with_roles(2, {1}, {})},
              {3, with_roles(3, {}, {2})}}),
       keys({1, 2, 3}),
       {},
       keys({1, 2, 3})},
      {"answer that waits for a later member",
       group({{1, with_roles(1, {1}, {2, 3})},
              {2, with_roles(2, {}, {3})},
              {3, with_roles(3, {}, {1})}}),
       keys({1, 2, 3}),
       {},
       keys({1, 2, 3})},
      {"a pair the root does not know",
       group({{1, old_format({})}, {2, old_format({3})}, {3, old_format({2, 1})}}),
       keys({1}),
       {},
       keys({1})},
      {"two that answer only each other",
       group({{1, with_roles(1, {1}, {2, 3})},
              {2, with_roles(2, {}, {3})},
              {3, with_roles(3, {}, {2})}}),
       keys({1}), keys({2, 3}), keys({1})},
  };
}

TEST(Authority, TakesMembersThatAnswer) {  // R2, R4
  for (const MemberCase& c : member_cases()) {
    const auto authority = resolve(author(1), c.announcements, Membership::Reciprocal);
    EXPECT_EQ(authority.members, c.reciprocal) << c.what;
    EXPECT_EQ(authority.invited, c.invited) << c.what;
  }
}

TEST(Authority, TakesMembersOfOlderListsAtOnceInCompatibleMode) {  // R3
  for (const MemberCase& c : member_cases()) {
    const auto authority = resolve(author(1), c.announcements, Membership::Compatible);
    EXPECT_EQ(authority.members, c.compatible) << c.what;
  }
}

TEST(Authority, MayExcludeTheSelectedKeyItself) {  // R5
  const auto announcements =
      group({{1, left(with_roles(1, {2}, {}))}, {2, with_roles(2, {2}, {3})}});
  for (const Membership membership : kBoth) {
    const auto authority = resolve(author(1), announcements, membership);
    EXPECT_EQ(authority.members, keys({2}));
    EXPECT_EQ(authority.invited, keys({3}));
  }
}

TEST(Authority, SaysEachReasonInItsOwnWords) {
  std::set<std::string_view> texts;
  for (const auto reason :
       {NoRoot::SelectedMissing, NoRoot::AuthorInactive, NoRoot::LeadMissing,
        NoRoot::LeadDoesNotNameItself, NoRoot::LeadCycle, NoRoot::AmbiguousLeads}) {
    texts.insert(describe(reason));
  }
  EXPECT_EQ(texts.size(), 6u);
}

Roles random_roles(core::Rng& rng, std::uint32_t self, std::uint32_t people) {
  Roles roles;
  roles.role_format = rng.one_in(2);
  for (auto names = rng.below(4); names > 0; --names) {
    const auto key = author(static_cast<std::uint32_t>(rng.below(people)));
    if (key != author(self)) roles.listed.insert(key);
  }
  if (!roles.role_format) return roles;
  roles.author_active = !rng.one_in(5);
  if (roles.author_active && rng.one_in(3)) roles.active_leads.insert(author(self));
  if (!roles.listed.empty() && rng.one_in(3)) roles.active_leads.insert(*roles.listed.begin());
  return roles;
}

TEST(Authority, EqualsItsNaiveTwinOnRandomGroups) {
  for (std::uint64_t seed = 0; seed < 5'000; ++seed) {
    core::Rng rng(seed);
    const auto people = static_cast<std::uint32_t>(2 + rng.below(9));
    RolesByAuthor announcements;
    for (std::uint32_t person = 0; person < people; ++person) {
      if (!rng.one_in(4)) announcements[author(person)] = random_roles(rng, person, people);
    }
    for (std::uint32_t person = 0; person < people; ++person) {
      for (const Membership membership : kBoth) {
        ASSERT_EQ(resolve(author(person), announcements, membership),
                  resolve_naively(author(person), announcements, membership))
            << "seed " << seed << " person " << person;
      }
    }
  }
}

TEST(Authority, OfALongChainIsFoundInOneWalk) {
  constexpr std::uint32_t kPeople = 20'000;
  RolesByAuthor announcements;
  for (std::uint32_t person = 0; person < kPeople; ++person) {
    announcements[author(person)] =
        with_roles(person, {}, {person + 1, person == 0 ? 1 : person - 1});
  }
  const auto authority = resolve(author(0), announcements, Membership::Reciprocal);
  EXPECT_EQ(authority.members.size(), kPeople);
  EXPECT_EQ(authority.invited, keys({kPeople}));
}

}  // namespace maintainers_test
}  // namespace graspd::grasp
