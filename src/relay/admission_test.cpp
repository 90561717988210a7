#include "relay/admission.h"

#include <gtest/gtest.h>

#include "nostr/serialize.h"

namespace graspd::relay {
namespace admission_test {

constexpr core::UnixSeconds kNow = 1'700'000'000;

std::string refusal(const nostr::Event& event, std::size_t bytes = 500, Limits limits = {}) {
  return refuse_at_intake(event, bytes, limits, kNow).value_or(Refusal{}).text;
}

nostr::Event event(std::uint16_t kind, nostr::Tags tags = {}, std::string content = "") {
  return {
      .created_at = kNow, .kind = {kind}, .tags = std::move(tags), .content = std::move(content)};
}

TEST(Admission, LetsAnOrdinaryEventPass) { EXPECT_EQ(refusal(event(1621)), ""); }

TEST(Admission, RefusesWhatIsTooBigAndSaysHowBig) {
  EXPECT_EQ(refusal(event(1), 101, {.event_bytes = 100}),
            "blocked: event size (101 bytes) exceeds maximum allowed size (100 bytes)");
  EXPECT_EQ(refusal(event(1), 100, {.event_bytes = 100}), "");
  EXPECT_EQ(refusal(event(1), 1'000'000, {.event_bytes = 0}), "");
}

TEST(Admission, BoundsWhatTheIndexesMakeOfAnEvent) {
  nostr::Tags same, different, unindexed;
  for (int i = 0; i < 5; ++i) {
    for (nostr::Tags* tags : {&same, &different, &unindexed}) tags->begin_row();
    same.append("t"), same.append("x");
    different.append("t"), different.append(std::to_string(i));
    unindexed.append("word"), unindexed.append(std::to_string(i));
  }
  const Limits limits{.indexed_values = 4};
  EXPECT_EQ(refusal(event(1, same), 1, limits), "");
  EXPECT_EQ(refusal(event(1, unindexed), 1, limits), "");
  EXPECT_EQ(refusal(event(1, different), 1, limits),
            "blocked: the event has 5 tag values that filters can ask for, at most 4 are accepted");
  EXPECT_EQ(refusal(event(1, different), 1, {.indexed_values = 5}), "");
  EXPECT_EQ(refusal(event(1, different), 1, {.indexed_values = 0}), "");
}

TEST(Admission, RefusesCredentialsAndSealedParts) {
  for (std::uint16_t kind : {13, 9734, 22242, 24242, 27235})
    EXPECT_EQ(refusal(event(kind)),
              "blocked: kind " + std::to_string(kind) + " is not accepted by this relay");
}

TEST(Admission, RefusesWhatHasExpiredUnlessItIsNotStoredAnyway) {
  EXPECT_EQ(refusal(event(1, {{"expiration", "1600000000"}})), "blocked: event is expired");
  EXPECT_EQ(refusal(event(1, {{"expiration", "1800000000"}})), "");
  EXPECT_EQ(refusal(event(20001, {{"expiration", "1600000000"}})), "");
}

TEST(Admission, RefusesDatesFarAhead) {
  auto early = event(1);
  early.created_at = kNow + 11;
  EXPECT_EQ(refusal(early, 1, {.created_at_ahead_seconds = 10}),
            "invalid: created_at is more than 10 seconds in the future");
  EXPECT_EQ(refusal(early, 1, {.created_at_ahead_seconds = 11}), "");
  EXPECT_EQ(refusal(early, 1, {.created_at_ahead_seconds = 0}), "");
}

TEST(Admission, RefusesRepostsThatEmbedAProtectedEvent) {
  std::string embedded = nostr::to_json(event(1, {{"-"}}));
  EXPECT_EQ(refusal(event(6, {}, embedded)), "blocked: repost of a protected event");
  EXPECT_EQ(refusal(event(16, {}, embedded)), "blocked: repost of a protected event");
  EXPECT_EQ(refusal(event(6, {}, nostr::to_json(event(1)))), "");
  EXPECT_EQ(refusal(event(6, {}, "not an event")), "");
}

TEST(Admission, WantsARelayInARequestToVanish) {
  EXPECT_EQ(refusal(event(62)), "invalid: a request to vanish needs a relay tag");
  EXPECT_NE(refusal(event(62, {{"relay"}})), "");
  EXPECT_NE(refusal(event(62, {{"relay", ""}})), "");
  EXPECT_EQ(refusal(event(62, {{"relay", ""}, {"relay", "ALL_RELAYS"}})), "");
  EXPECT_EQ(refusal(event(62, {{"relay", "wss://elsewhere.example"}})), "");
}

TEST(Admission, R3_TakesProtectedEventsFromTheirAuthorsOnly) {
  using Intake = Source::Intake;
  const nostr::Event secret = event(1621, {{"-"}});
  EXPECT_EQ(refuse_from(Intake::Sync, secret, 1, {}, kNow).value_or(Refusal{}).text,
            "restricted: this event may only be published by its author");
  EXPECT_FALSE(refuse_from(Intake::Client, secret, 1, {}, kNow));  // the session knows who it is
  EXPECT_FALSE(refuse_from(Intake::Import, secret, 1, {}, kNow));
}

TEST(Admission, R1_RefusesTheSameFromEveryWayIn) {
  auto early = event(1621);
  early.created_at = kNow + 10 * 365 * 86'400;
  for (const auto intake : {Source::Intake::Client, Source::Intake::Sync, Source::Intake::Import}) {
    EXPECT_TRUE(refuse_from(intake, event(22242), 1, {}, kNow));
    EXPECT_TRUE(refuse_from(intake, event(1621), 3'000'000, {}, kNow));
    EXPECT_EQ(refuse_from(intake, event(1621, {{"expiration", "1"}}), 1, {}, kNow)->why,
              Refusal::Why::Expired);
    EXPECT_EQ(refuse_from(intake, early, 1, {}, kNow)->why, Refusal::Why::TooEarly);
    EXPECT_FALSE(refuse_from(intake, event(1621), 1, {}, kNow));
  }
}

TEST(Admission, WantsOneRecipientOnAGiftWrap) {
  EXPECT_NE(refusal(event(1059)), "");
  EXPECT_EQ(refusal(event(1059, {{"p", "x"}})), "");
  EXPECT_NE(refusal(event(1059, {{"p", "x"}, {"p", "y"}})), "");
}

}  // namespace admission_test
}  // namespace graspd::relay
