#include "grasp/catalog.h"

#include <gtest/gtest.h>
#include <random>

#include "grasp/policy_testing.h"

namespace graspd::grasp {
namespace catalog_test {

using namespace testing;

Listing listing(std::uint32_t owner, const Announced& with = {}, Place place = Place::Served,
                bool hosts = true) {
  return {*parse_announcement(announcement(owner, with)->event), place, hosts};
}
const Identifier kProject = *Identifier::parse("project");

TEST(Catalog, HasOneAnnouncementPerCoordinate) {  // R1
  Catalog catalog(Membership::Compatible);
  catalog.put(listing(1));
  catalog.put(listing(1, {.at = kStart + 1}, Place::Waiting));
  EXPECT_EQ(catalog.find(coordinate(1))->announcement.created_at, kStart + 1);
  EXPECT_EQ(catalog.served_repos(), 0U);
  EXPECT_EQ(catalog.repos(kProject), std::vector{coordinate(1)});
  catalog.erase(coordinate(1));
  EXPECT_FALSE(catalog.find(coordinate(1)));
  EXPECT_FALSE(catalog.knows(kProject));
  catalog.erase(coordinate(1));  // nothing there: nothing to do
}

TEST(Catalog, SaysWhoIsWantedByWhom) {
  using By = Catalog::By;
  Catalog catalog(Membership::Compatible);
  catalog.put(listing(1, {.maintainers = {2}}, Place::Waiting));
  EXPECT_TRUE(catalog.is_wanted(author(2), kProject, By::AnyRepo));
  EXPECT_FALSE(catalog.is_wanted(author(2), kProject, By::ServedRepo));
  EXPECT_FALSE(catalog.is_wanted(author(3), kProject, By::AnyRepo));
  catalog.put(listing(2, {.maintainers = {3}}, Place::Waiting, false));
  EXPECT_EQ(std::ranges::count(catalog.concerned_by(coordinate(2)), author(3)), 1);
  EXPECT_TRUE(catalog.is_waiting_guest(coordinate(2)));
  EXPECT_FALSE(catalog.is_waiting_guest(coordinate(1)));
  catalog.put(listing(1, {.maintainers = {2}}));
  EXPECT_TRUE(catalog.is_wanted(author(3), kProject, By::ServedRepo));
  catalog.erase(coordinate(1));  // a guest alone wants nobody
  EXPECT_FALSE(catalog.is_wanted(author(3), kProject, By::AnyRepo));
}

TEST(Catalog, KnowsWhoIsInvolvedInWhatIsServed) {
  Catalog catalog(Membership::Compatible);
  catalog.put(listing(1, {.maintainers = {2}}, Place::Waiting));
  EXPECT_FALSE(catalog.is_involved(author(1)));
  catalog.put(listing(1, {.maintainers = {2}}));
  EXPECT_TRUE(catalog.is_involved(author(1)));
  EXPECT_TRUE(catalog.is_involved(author(2)));
  catalog.put(listing(3, {.maintainers = {2}}));
  catalog.erase(coordinate(1));
  EXPECT_FALSE(catalog.is_involved(author(1)));
  EXPECT_TRUE(catalog.is_involved(author(2)));
}

TEST(Catalog, KeepsStatesAlsoWithoutAnnouncements) {
  Catalog catalog(Membership::Compatible);
  const nostr::Version version{kStart, state(1)->event.id};
  catalog.put_state(author(1), kProject, version);
  EXPECT_FALSE(catalog.served_state(coordinate(1)));  // nobody has authority
  EXPECT_EQ(catalog.state_of(author(1), kProject)->id, version.id);
  EXPECT_EQ(catalog.states_of(author(1)).size(), 1U);
  catalog.put(listing(1));
  EXPECT_EQ(catalog.served_state(coordinate(1))->id, version.id);
  catalog.erase_state(author(1), kProject);
  EXPECT_TRUE(catalog.states_of(author(1)).empty());
  EXPECT_FALSE(catalog.served_state(coordinate(1)));
}

// The same, remembered as lists and computed anew each time.
class Twin {
 public:
  Twin(Membership membership, std::size_t members_max)
      : membership_(membership), members_max_(members_max) {}

  void put(const Listing& listing) {
    erase(listing.announcement.coordinate);
    listings_.push_back(listing);
  }
  void erase(const Coordinate& at) {
    std::erase_if(listings_, [&](const auto& one) { return one.announcement.coordinate == at; });
  }
  std::map<std::pair<nostr::PublicKey, Identifier>, nostr::Version> states;

  Authority authority(const Coordinate& repo) const {
    RolesByAuthor roles;
    for (const Listing& one : listings_)
      if (one.announcement.coordinate.identifier == repo.identifier)
        roles.insert({one.announcement.coordinate.owner, one.announcement.roles});
    Authority found = resolve(repo.owner, roles, membership_, members_max_);
    found.invited.clear();
    return found;
  }
  std::set<Coordinate> ruled_by(const nostr::PublicKey& key, const Identifier& identifier) const {
    std::set<Coordinate> ruled;
    for (const Coordinate& repo : repos(identifier))
      if (authority(repo).contains(key)) ruled.insert(repo);
    return ruled;
  }
  std::vector<Coordinate> repos(const Identifier& identifier) const {
    std::set<Coordinate> found;
    for (const Listing& one : listings_)
      if (one.hosts && one.announcement.coordinate.identifier == identifier)
        found.insert(one.announcement.coordinate);
    return {found.begin(), found.end()};
  }
  std::optional<nostr::EventId> served_state(const Coordinate& repo) const {
    const Authority who = authority(repo);
    std::optional<nostr::Version> newest;
    for (const auto& [key, version] : states)
      if (key.second == repo.identifier && who.contains(key.first) &&
          (!newest || nostr::wins(version, *newest)))
        newest = version;
    return newest ? std::optional(newest->id) : std::nullopt;
  }
  bool is_wanted(const nostr::PublicKey& key, const Identifier& identifier) const {
    for (const Coordinate& repo : repos(identifier)) {
      const Authority who = authority(repo);
      if (who.contains(key)) return true;
      for (const Listing& one : listings_)
        if (one.announcement.coordinate.identifier == identifier &&
            who.contains(one.announcement.coordinate.owner) &&
            one.announcement.roles.listed.contains(key))
          return true;
    }
    return false;
  }
  std::size_t served_repos() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        listings_, [](const Listing& one) { return one.hosts && one.place == Place::Served; }));
  }
  bool is_involved(const nostr::PublicKey& key) const {
    return std::ranges::any_of(listings_, [&](const Listing& one) {
      return one.place == Place::Served && (one.announcement.coordinate.owner == key ||
                                            one.announcement.roles.listed.contains(key));
    });
  }

 private:
  const Membership membership_;
  const std::size_t members_max_;
  std::vector<Listing> listings_;
};

class Both {
 public:
  Both(unsigned seed, Membership membership, std::size_t members_max)
      : random_(seed), catalog_(membership, members_max), twin_(membership, members_max) {}

  void step() {
    const std::uint32_t who = pick(kPeople);
    const std::string name = pick(2) ? "project" : "other";
    const Identifier identifier = *Identifier::parse(name);
    touched_ = coordinate(who, name);
    switch (pick(6)) {
      case 0:
        catalog_.erase(coordinate(who, name));
        return twin_.erase(coordinate(who, name));
      case 1: {
        const nostr::Version version{pick(50), state(who, 'a', pick(50), name)->event.id};
        catalog_.put_state(author(who), identifier, version);
        return void(twin_.states.insert_or_assign({author(who), identifier}, version));
      }
      case 2:
        catalog_.erase_state(author(who), identifier);
        return void(twin_.states.erase({author(who), identifier}));
      default: {
        const Listing one = listing(who, random_announcement(name),
                                    pick(2) ? Place::Served : Place::Waiting, pick(3) > 0);
        catalog_.put(one);
        return twin_.put(one);
      }
    }
  }

  void compare() {
    for (const char* name : {"project", "other"}) {
      const Identifier identifier = *Identifier::parse(name);
      ASSERT_EQ(catalog_.repos(identifier), twin_.repos(identifier));
      std::set<nostr::PublicKey> wanted;
      for (std::uint32_t who = 0; who < kPeople; ++who) {
        const Coordinate repo = coordinate(who, name);
        ASSERT_EQ(catalog_.authority(repo), twin_.authority(repo));
        const auto served = catalog_.served_state(repo);
        ASSERT_EQ(served ? std::optional(served->id) : std::nullopt, twin_.served_state(repo));
        const bool is_wanted = twin_.is_wanted(author(who), identifier);
        ASSERT_EQ(catalog_.is_wanted(author(who), identifier, Catalog::By::AnyRepo), is_wanted);
        if (is_wanted) wanted.insert(author(who));
        ASSERT_EQ(catalog_.is_involved(author(who)), twin_.is_involved(author(who)));
        const auto ruled = catalog_.repos_ruled_by(author(who), identifier);
        ASSERT_EQ(std::set(ruled.begin(), ruled.end()), twin_.ruled_by(author(who), identifier));
        const auto all = catalog_.all_repos_ruled_by(author(who), identifier);
        ASSERT_EQ(all.value_or(ruled), ruled);
        ASSERT_EQ(ruled.size(), std::set(ruled.begin(), ruled.end()).size());
      }
      ASSERT_NO_FATAL_FAILURE(compare_wanted(identifier, wanted));
    }
    ASSERT_EQ(catalog_.served_repos(), twin_.served_repos());
    ASSERT_EQ(catalog_.served().size(), twin_.served_repos());
  }

 private:
  static constexpr std::uint32_t kPeople = 6;

  // Whoever is wanted since the last step is so because of what it touched.
  void compare_wanted(const Identifier& identifier, const std::set<nostr::PublicKey>& wanted) {
    auto& before = wanted_[identifier];
    for (const nostr::PublicKey& key : wanted) {
      if (before.contains(key)) continue;
      ASSERT_EQ(std::ranges::count(catalog_.concerned_by(*touched_), key), 1);
    }
    before = wanted;
  }

  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }

  Announced random_announcement(const std::string& name) {
    Announced with{.at = kStart + pick(5), .identifier = name};
    if (pick(2))
      for (std::uint32_t i = pick(3); i > 0; --i) with.maintainers.push_back(pick(kPeople));
    else
      for (std::uint32_t i = pick(3) + 1; i > 0; --i) {
        std::vector<std::string> role{pick(3) ? "m" : "M", author(pick(kPeople)).hex()};
        for (std::uint32_t times = pick(3); times > 0; --times) role.push_back("1");
        with.more.push_back(role);
      }
    return with;
  }

  std::mt19937 random_;
  Catalog catalog_;
  Twin twin_;
  std::optional<Coordinate> touched_;
  std::map<Identifier, std::set<nostr::PublicKey>> wanted_;
};

TEST(Catalog, EqualsItsTwin) {  // R2, R3
  for (const auto membership : {Membership::Compatible, Membership::Reciprocal})
    for (unsigned seed = 1; seed <= 12; ++seed) {
      Both both(seed, membership, seed % 3 == 0 ? 3 : Catalog::kMembersMax);
      for (int i = 0; i < 150; ++i) {
        both.step();
        ASSERT_NO_FATAL_FAILURE(both.compare()) << "seed " << seed << " step " << i;
      }
    }
}

// 1,000 announcements of one identifier that list each other: what one more costs does not grow.
class Clique {
 public:
  static constexpr std::uint32_t kAuthors = 1'000, kListed = 60;

  Clique(const Membership membership, bool with_roles)
      : with_roles_(with_roles), graph_(membership, Catalog::kMembersMax) {
    for (std::uint32_t who = 0; who < kAuthors; ++who) put(who);
  }
  void put(std::uint32_t who) {
    Roles roles{.role_format = with_roles_};
    for (std::uint32_t i = 1; i <= kListed; ++i) {
      roles.listed.insert(author((who + i) % kAuthors));
      roles.listed.insert(author((who + kAuthors - i) % kAuthors));
    }
    graph_.put(author(who), roles, true);
  }
  std::size_t computed(const std::function<void(const MemberGraph&)>& question) const {
    const std::size_t before = graph_.computed();
    question(graph_);
    return graph_.computed() - before;
  }

 private:
  const bool with_roles_;
  MemberGraph graph_;
};

TEST(MemberGraph, ComputesLittleHoweverManyListEachOther) {  // R2 and R4 of grasp/member_graph.h
  for (const auto membership : {Membership::Compatible, Membership::Reciprocal})
    for (const bool with_roles : {false, true}) {
      Clique clique(membership, with_roles);
      clique.put(7);
      EXPECT_EQ(clique.computed([](const auto& graph) {
        EXPECT_EQ(graph.authority(author(7)).members.size(), Catalog::kMembersMax);
        EXPECT_TRUE(graph.is_cut(author(7)));
      }),
                1U);
      EXPECT_LE(clique.computed([](const auto& graph) {
        EXPECT_TRUE(graph.is_wanted(author(500), [](const auto&) { return true; }));
        bool is_all = true;
        EXPECT_GE(graph.ruled_by(author(500), &is_all).size(), 60U);  // by those who list it
        EXPECT_FALSE(is_all);
        EXPECT_LE(graph.concerned_by(author(500)).size(), MemberGraph::kConcernedMax);
      }),
                MemberGraph::kComputedMax);
      EXPECT_EQ(clique.computed([](const auto& graph) { graph.authority(author(7)); }), 0U);
    }
}

}  // namespace catalog_test
}  // namespace graspd::grasp
