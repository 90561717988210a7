#include "grasp/purgatory.h"

#include <gtest/gtest.h>
#include <random>

#include "grasp/policy_testing.h"
#include "grasp/purgatory_note.h"

namespace graspd::grasp {
namespace purgatory_test {

using namespace testing;
using Room = HeldSpace::Room;
using Book = std::map<std::string, std::string>;  // notes as a store has them

void keep(Book& book, const Transition& notes) {
  for (const store::Note& note : notes.all<store::Note>()) {
    if (note.value)
      book.insert_or_assign(note.key, *note.value);
    else
      book.erase(note.key);
  }
}

Held held(nostr::WireEventPtr event, core::UnixSeconds expires, bool synced = false) {
  return {std::move(event), expires, false, synced};
}
HeldState held_state(const nostr::WireEventPtr& event, core::UnixSeconds expires) {
  return {held(event, expires), *parse_state(event->event)};
}
HeldPull held_pull(const nostr::WireEventPtr& event, core::UnixSeconds expires) {
  return {held(event, expires), parse_pull_request(event->event)};
}
Upload upload(std::string token, std::uint32_t owner, std::uint64_t bytes,
              core::UnixSeconds expires,
              const nostr::EventId& event = pull_request(9, 1)->event.id) {
  return {std::move(token), coordinate(owner), event, *git::Oid::parse(oid('b')), bytes, expires};
}

constexpr core::UnixSeconds kPatience = 30 * 60, kSleep = 24 * 3600, kMemory = 7 * 24 * 3600;

class PurgatoryTest : public ::testing::Test {
 protected:
  Purgatory purgatory;
  Transition notes;
  const core::UnixSeconds now = kStart;
};

TEST_F(PurgatoryTest, GivesStatesAndPullRequestsUpWhenTheirTimeIsUp) {  // R3
  const auto one = state(1), two = pull_request(2, 1);
  purgatory.hold_state(held_state(one, purgatory.deadline(now)), notes);
  purgatory.hold_pull(held_pull(two, purgatory.deadline(now)), notes);
  EXPECT_TRUE(purgatory.expire(now + kPatience - 1, notes).events.empty());
  EXPECT_EQ(purgatory.expire(now + kPatience, notes).events, (Events{one, two}));
  EXPECT_EQ(purgatory.size(), 0U);
  EXPECT_TRUE(purgatory.expired().contains(one->event.id));
  EXPECT_TRUE(purgatory.pulls().of(coordinate(1).identifier).empty());
  purgatory.expire(now + kPatience + kMemory - 1, notes);
  EXPECT_TRUE(purgatory.expired().contains(two->event.id));
  purgatory.expire(now + kPatience + kMemory, notes);
  EXPECT_FALSE(purgatory.expired().contains(two->event.id));
  Book book;
  keep(book, notes);
  EXPECT_TRUE(book.empty());
}

TEST_F(PurgatoryTest, FindsAStateByItsIdWhileItWaits) {
  const auto one = state(1), two = state(2);
  const Identifier identifier = coordinate(1).identifier;
  for (const auto& wire : {one, two})
    purgatory.hold_state(held_state(wire, purgatory.deadline(now)), notes);
  ASSERT_TRUE(purgatory.state(two->event.id, identifier));
  EXPECT_EQ(purgatory.state(two->event.id, identifier)->event, two);
  EXPECT_FALSE(purgatory.state(two->event.id, *Identifier::parse("another")));
  purgatory.drop_state({two->event.pubkey, identifier}, notes);
  EXPECT_FALSE(purgatory.state(two->event.id, identifier));
  EXPECT_TRUE(purgatory.state(one->event.id, identifier));
}

TEST_F(PurgatoryTest, PutsAnnouncementsToSleepFirst) {  // R3
  const auto one = announcement(1);
  purgatory.hold_announcement(coordinate(1), held(one, purgatory.deadline(now)), notes);
  auto over = purgatory.expire(now + kPatience, notes);
  EXPECT_EQ(over.asleep, std::vector{coordinate(1)});
  EXPECT_TRUE(over.events.empty());
  EXPECT_TRUE(purgatory.announcement(coordinate(1))->asleep);
  over = purgatory.expire(now + kPatience + kSleep - 1, notes);
  EXPECT_TRUE(over.asleep.empty() && over.announcements.empty());
  over = purgatory.expire(now + kPatience + kSleep, notes);
  EXPECT_EQ(over.announcements, std::vector{coordinate(1)});
  EXPECT_TRUE(purgatory.expired().contains(one->event.id));
}

TEST_F(PurgatoryTest, GivesAnAnnouncementTheFullTimeAgainAndWakesIt) {  // R4
  EXPECT_FALSE(purgatory.extend(coordinate(1), now, notes));
  purgatory.hold_announcement(coordinate(1), held(announcement(1), now + 10), notes);
  EXPECT_FALSE(purgatory.extend(coordinate(1), now + 5, notes));
  EXPECT_EQ(purgatory.announcement(coordinate(1))->expires, now + 5 + kPatience);
  purgatory.expire(now + 5 + kPatience, notes);
  EXPECT_TRUE(purgatory.extend(coordinate(1), now + kPatience + kSleep, notes));
  EXPECT_FALSE(purgatory.announcement(coordinate(1))->asleep);
  EXPECT_EQ(purgatory.announcement(coordinate(1))->expires, now + 2 * kPatience + kSleep);
}

TEST_F(PurgatoryTest, GivesTheFullTimeAgainToWhatIsOnItsWay) {
  const auto wire = pull_request(9, 1);
  purgatory.extend_pull(wire->event.id, now, notes);  // nothing
  purgatory.hold_pull({held(wire, now + 10), parse_pull_request(wire->event)}, notes);
  purgatory.hold_state(held_state(state(1), now + 10), notes);
  purgatory.extend_pull(wire->event.id, now + 5, notes);
  purgatory.extend_state(coordinate(1), now + 5, notes);
  EXPECT_TRUE(purgatory.expire(now + kPatience, notes).events.empty());
  EXPECT_EQ(purgatory.expire(now + 5 + kPatience, notes).events.size(), 2U);
}

TEST_F(PurgatoryTest, KeepsPeopleOfOneNameApart) {  // R2
  purgatory.hold_state(held_state(state(1), now), notes);
  purgatory.hold_state(held_state(state(2), now), notes);
  purgatory.hold_state(held_state(state(2, 'a', kStart, "project2"), now), notes);
  EXPECT_EQ(purgatory.states().of(coordinate(1).identifier).size(), 2U);
  purgatory.drop_state(coordinate(1), notes);
  EXPECT_TRUE(purgatory.state(coordinate(2)));
  EXPECT_EQ(purgatory.states().by(author(2)).size(), 2U);
}

TEST_F(PurgatoryTest, IsBoundedPerAuthorAndInBytes) {  // R5
  const auto small = announcement(1),
             big = announcement(1, {.more = {{"x", std::string(1000, 'x')}}});
  PurgatoryLimits limits;
  limits.events_per_author_max = 1;
  limits.bytes_max = 2 * small->json.size();
  Purgatory bounded(limits);
  bounded.hold_announcement(coordinate(1), held(small, now), notes);
  const Held* mine = bounded.announcement(coordinate(1));
  EXPECT_EQ(bounded.space().room_for(*state(1)), Room::AuthorFull);
  EXPECT_EQ(bounded.space().room_for(*small, mine), Room::Yes);  // in its own place
  EXPECT_EQ(bounded.space().room_for(*big, mine), Room::Full);   // which does not grow for nothing
  EXPECT_EQ(bounded.space().room_for(*announcement(2)), Room::Yes);
  EXPECT_EQ(bounded.space().room_for(*big), Room::AuthorFull);
  limits.bytes_per_author_max = small->json.size();
  EXPECT_EQ(Purgatory(limits).space().room_for(*big), Room::AuthorFull);
  EXPECT_EQ(Purgatory(limits).space().room_for(*small), Room::Yes);
  bounded.drop_announcement(coordinate(1), notes);
  EXPECT_EQ(bounded.space().room_for(*small), Room::Yes);
}

TEST_F(PurgatoryTest, TellsWhoHasMostAndWhatWouldGoFirst) {  // R5
  const auto anybody = [](const nostr::PublicKey&) { return true; };
  EXPECT_FALSE(purgatory.space().heaviest(anybody));
  const auto later = announcement(1), sooner = state(1), pull = pull_request(1, 2);
  const auto asleep = announcement(1, {.identifier = "asleep"});
  purgatory.hold_announcement(coordinate(1), held(later, now + 30), notes);
  purgatory.hold_state(held_state(sooner, now + 10), notes);
  purgatory.hold_pull(held_pull(pull, now + 20), notes);
  purgatory.hold_announcement(coordinate(1, "asleep"), {asleep, now + 99, true, false}, notes);
  purgatory.hold_state(held_state(state(2), now + 1), notes);
  EXPECT_EQ(purgatory.space().heaviest(anybody), author(1));
  EXPECT_EQ(purgatory.space().heaviest([](const auto& who) { return who != author(1); }),
            author(2));
  EXPECT_FALSE(purgatory.space().heaviest([](const auto&) { return false; }));
  EXPECT_EQ(purgatory.held_by(author(1)), (Events{asleep, sooner, pull, later}));
  for (const auto& key : purgatory.announcements().by(author(1)))
    purgatory.drop_announcement(key, notes);
  purgatory.drop_pull(pull->event.id, notes);
  EXPECT_EQ(purgatory.space().bytes_of(author(1)), sooner->json.size());
  purgatory.drop_state(coordinate(1), notes);
  EXPECT_EQ(purgatory.space().heaviest(anybody), author(2));
}

TEST_F(PurgatoryTest, GivesUploadsUpWhenTheirTimeIsUp) {  // R6
  purgatory.put_upload(upload("one", 1, 60, now + 10), notes);
  purgatory.put_upload(upload("two", 1, 1, now + 20), notes);
  EXPECT_EQ(purgatory.uploads().of(pull_request(9, 1)->event.id).size(), 2U);
  const auto over = purgatory.expire(now + 10, notes);
  ASSERT_EQ(over.uploads.size(), 1U);
  EXPECT_EQ(over.uploads[0].token, "one");
  EXPECT_EQ(purgatory.uploads().tokens(), std::set<std::string>{"two"});
}

TEST_F(PurgatoryTest, SaysWhichUploadsGoForAnother) {
  PurgatoryLimits limits;
  limits.uploads.per_repo_max = 2;
  Purgatory bounded(limits);
  bounded.put_upload(upload("one", 1, 1, now + 10), notes);
  bounded.put_upload(upload("two", 1, 1, now + 20), notes);
  Upload other = upload("three", 1, 1, now + 30);
  EXPECT_FALSE(bounded.uploads().has_space(other));
  other.from = *core::IpAddress::parse("1.2.3.4");
  EXPECT_TRUE(bounded.uploads().has_space(other));
  EXPECT_EQ(bounded.put_upload(other, notes), std::vector<std::string>{"one"});
  Book book;
  keep(book, notes);
  EXPECT_EQ(book.count("purgatory/upload/one"), 0U);
  EXPECT_EQ(book.size(), 2U);
}

TEST_F(PurgatoryTest, RemembersSoManyExpiredIdsOnly) {
  PurgatoryLimits limits;
  limits.expired_max = 1;
  Purgatory bounded(limits);
  bounded.hold_state(held_state(state(1), now), notes);
  bounded.hold_state(held_state(state(2), now + 1), notes);
  bounded.expire(now, notes);
  EXPECT_TRUE(bounded.expired().contains(state(1)->event.id));
  bounded.expire(now + 1, notes);
  EXPECT_FALSE(bounded.expired().contains(state(1)->event.id));
  EXPECT_TRUE(bounded.expired().contains(state(2)->event.id));
}

TEST(PurgatoryNote, IsReadAsItWasWritten) {
  const Held before{announcement(1, {.identifier = "a \"x\""}), 5, true, true};
  const auto after = note::parse_held(note::text(before));
  ASSERT_TRUE(after);
  EXPECT_EQ(after->event->json, before.event->json);
  EXPECT_EQ(after->event->event.id, before.event->event.id);
  EXPECT_EQ(std::tie(after->expires, after->asleep, after->synced), std::tuple(5, true, true));
  Upload one = upload("token", 3, 1ULL << 40, 7);
  one.from = *core::IpAddress::parse("2001:db8::1");
  const auto read = note::parse_upload("token", note::text(one));
  ASSERT_TRUE(read);
  EXPECT_EQ(note::text(*read), note::text(one));
  EXPECT_EQ(read->repo, one.repo);
  EXPECT_EQ(read->from, one.from);
  const std::string unsigned_by_nobody =
      fmt::format("7 1 {} {} {} tray\nproject", one.event.hex(), oid('b'), author(3).hex());
  const auto earlier = note::parse_upload("token", unsigned_by_nobody);
  ASSERT_TRUE(earlier);
  EXPECT_TRUE(earlier->in_pr_repository);
}

TEST(PurgatoryNote, ThatIsBrokenIsNotRead) {
  for (const char* text : {"", "\n", "1 0 0", "x 0 0\n{}", "1 0 0\n{}", "1 0\n{}", "1 0 0\n[]"})
    EXPECT_FALSE(note::parse_held(text)) << text;
  for (const char* text : {"", "1 2", "1 2 3 4 5\nx"})
    EXPECT_FALSE(note::parse_upload("token", text)) << text;
}

// R1: whatever happens, the notes tell the same as the memory.
class Life {
 public:
  explicit Life(unsigned seed) : random_(seed) {}

  void step() {
    Transition notes;
    const std::uint32_t who = pick(4);
    const std::string name = pick(2) ? "project" : "other";
    switch (pick(9)) {
      case 0:
        purgatory_.hold_announcement(coordinate(who, name),
                                     held(announcement(who, {.at = now_, .identifier = name}),
                                          purgatory_.deadline(now_), pick(2)),
                                     notes);
        break;
      case 1:
        purgatory_.hold_state(held_state(state(who, 'a', now_, name), purgatory_.deadline(now_)),
                              notes);
        break;
      case 2:
        purgatory_.hold_pull(
            held_pull(pull_request(who, pick(4), 'a', now_ - pick(3)), purgatory_.deadline(now_)),
            notes);
        break;
      case 3:
        purgatory_.extend(coordinate(who, name), now_, notes);
        purgatory_.extend_state(coordinate(who, name), now_, notes);
        break;
      case 4:
        purgatory_.drop_announcement(coordinate(who, name), notes);
        purgatory_.drop_state(coordinate(pick(4), name), notes);
        for (const auto& id : purgatory_.pulls().by(author(who))) purgatory_.drop_pull(id, notes);
        break;
      case 5:
        purgatory_.put_upload(upload(std::to_string(pick(9)), who, pick(99), now_ + pick(999)),
                              notes);
        break;
      case 6:
        purgatory_.drop_upload(std::to_string(pick(9)), notes);
        break;
      default:
        now_ += pick(8 * 3600);
        purgatory_.expire(now_, notes);
    }
    keep(book_, notes);
  }

  // A new life from the notes writes down the same, and goes on alike.
  void compare() {
    Purgatory again;
    for (const auto& [key, value] : book_) ASSERT_TRUE(again.restore(key, value)) << key;
    ASSERT_EQ(again.size(), purgatory_.size());
    for (std::uint32_t who = 0; who < 4; ++who)
      ASSERT_EQ(again.space().bytes_of(author(who)), purgatory_.space().bytes_of(author(who)));
    ASSERT_EQ(again.identifiers(), purgatory_.identifiers());
    ASSERT_EQ(again.uploads().tokens(), purgatory_.uploads().tokens());
    for (std::uint32_t who = 0; who < 4; ++who) {
      ASSERT_EQ(again.announcements().by(author(who)), purgatory_.announcements().by(author(who)));
      ASSERT_EQ(again.states().by(author(who)), purgatory_.states().by(author(who)));
      ASSERT_EQ(again.pulls().by(author(who)), purgatory_.pulls().by(author(who)));
    }
    Purgatory copy = purgatory_;
    Transition one, two;
    again.expire(now_ + 12 * 3600, one);
    copy.expire(now_ + 12 * 3600, two);
    Book after_one = book_, after_two = book_;
    keep(after_one, one);
    keep(after_two, two);
    ASSERT_EQ(after_one, after_two);
  }

 private:
  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }

  std::mt19937 random_;
  core::UnixSeconds now_ = kStart;
  Purgatory purgatory_;
  Book book_;
};

TEST(PurgatoryNotes, TellEverything) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Life life(seed);
    for (int i = 0; i < 300; ++i) {
      life.step();
      if (i % 5 > 0) continue;
      ASSERT_NO_FATAL_FAILURE(life.compare()) << "seed " << seed << " step " << i;
    }
  }
}

}  // namespace purgatory_test
}  // namespace graspd::grasp
