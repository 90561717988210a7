#include "git/push_request.h"

#include <gtest/gtest.h>

#include "git/refs_testing.h"

namespace graspd::git {
namespace push_request_test {

using namespace std::string_literals;
using State = PushParser::State;

std::string line(std::string_view payload) {
  std::string out;
  append_pkt(out, payload);
  return out;
}

std::string text(char old_digit, char new_digit, std::string_view name) {
  return std::string(40, old_digit) + " " + std::string(40, new_digit) + " " + std::string(name);
}

const std::string kMain = text('0', 'a', "refs/heads/main");
const std::string kFlush(kFlushPkt);

// The reason a body is refused for; empty when it is not.
std::string refusal(const std::string& body, PushParser::Limits limits = {}) {
  PushParser parser(limits);
  return parser.feed(body) == State::Refused ? parser.reason() : "";
}

bool mentions(const std::string& reason, std::string_view words) {
  return reason.find(words) != std::string::npos;
}

TEST(PushParser, ReadsCommandsCapabilitiesAndLeavesThePack) {  // R2 R8
  PushParser parser;
  const std::string body =
      line(kMain + "\0 report-status-v2 side-band-64k object-format=sha1 agent=git/2.39.5"s) +
      line(text('b', '0', "refs/heads/old")) + line(text('0', 'c', "refs/tags/v1") + "\n") +
      kFlush + "PACK....";
  EXPECT_EQ(parser.feed(body), State::Done);
  const std::vector<Command> expected = {command('0', 'a', "refs/heads/main"),
                                         command('b', '0', "refs/heads/old"),
                                         command('0', 'c', "refs/tags/v1")};
  EXPECT_EQ(parser.request().commands, expected);
  EXPECT_TRUE(parser.request().commands[1].is_delete());
  const Capabilities capabilities = {.report_status_v2 = true, .side_band_64k = true};
  EXPECT_EQ(parser.request().capabilities, capabilities);
  EXPECT_EQ(parser.take_rest(), "PACK....");
}

TEST(PushParser, ReadsTheSameByteByByte) {
  const std::string body = line(kMain + "\0report-status atomic\n"s) + kFlush;
  PushParser parser;
  for (std::size_t i = 0; i + 1 < body.size(); ++i) {
    ASSERT_EQ(parser.feed(body.substr(i, 1)), State::NeedMore) << i;
  }
  EXPECT_EQ(parser.feed("0"), State::Done);
  EXPECT_TRUE(parser.request().capabilities.atomic);
  EXPECT_EQ(parser.request().commands.size(), 1);
  EXPECT_EQ(parser.feed("PA"), State::Done);
  EXPECT_EQ(parser.feed("CK"), State::Done);
  EXPECT_EQ(parser.take_rest(), "PACK");
}

TEST(PushParser, KnowsEveryCapabilityAndIgnoresOthers) {  // R2
  PushParser parser;
  parser.feed(line(kMain +
                   "\0 report-status report-status-v2 side-band-64k atomic quiet  ofs-delta "
                   "delete-refs push-options whatever session-id=x"s));
  const Capabilities all = {true, true, true, true, true, true, true, true};
  EXPECT_EQ(parser.request().capabilities, all);
}

TEST(PushParser, RefusesAnotherObjectFormat) {  // R2
  EXPECT_TRUE(mentions(refusal(line(kMain + "\0object-format=sha256"s)), "SHA-1"));
  EXPECT_NE(refusal(line(std::string(64, 'a') + " " + std::string(64, 'b') + " refs/heads/x")), "");
}

TEST(PushParser, RefusesEveryLineItDoesNotKnow) {  // R1
  const std::string upper = "A" + std::string(39, 'a') + kMain.substr(40);
  for (const std::string& bad :
       {""s, "\n"s, "x"s, "push-cert-end"s, upper, kMain.substr(1), " " + kMain,
        kMain.substr(0, 81), kMain.substr(0, 82), "shallow "s, "shallow " + std::string(39, 'a'),
        "shallow " + std::string(40, 'a') + " x", std::string(40, 'a') + "\t" + kMain.substr(41)}) {
    EXPECT_NE(refusal(line(bad)), "") << bad;
    EXPECT_NE(refusal(line(kMain) + line(bad)), "") << bad;
  }
  EXPECT_NE(refusal("0001"), "");
  EXPECT_NE(refusal(line(kMain) + "0001"), "");
  EXPECT_NE(refusal("PACK"), "");
}

TEST(PushParser, RefusesAPushCertificateInWords) {  // R1
  PushParser parser;
  EXPECT_EQ(parser.feed(line("push-cert\0 report-status side-band-64k"s) + line("cert")),
            State::Refused);
  EXPECT_TRUE(mentions(parser.reason(), "--no-signed"));
  EXPECT_TRUE(parser.request().capabilities.side_band_64k);  // the refusal can be shown
  EXPECT_NE(refusal(line(kMain) + line("push-cert")), "");
}

TEST(PushParser, ReadsCapabilitiesOnTheFirstCommandOnly) {  // R2
  PushParser parser;
  EXPECT_EQ(parser.feed(line(kMain) + line(text('0', 'b', "refs/heads/b") + "\0atomic"s) + kFlush),
            State::Refused);
  EXPECT_FALSE(parser.request().capabilities.atomic);
}

TEST(PushParser, AcceptsShallowLinesBeforeTheCommands) {  // R3
  const std::string shallow = line("shallow " + std::string(40, 'd') + "\n");
  PushParser parser;
  EXPECT_EQ(parser.feed(shallow + shallow + line(kMain + "\0atomic"s) + kFlush), State::Done);
  EXPECT_EQ(parser.request().shallow, std::vector<Oid>(2, oid('d')));
  EXPECT_TRUE(parser.request().capabilities.atomic);
  EXPECT_NE(refusal(line(kMain) + shallow), "");
  EXPECT_TRUE(mentions(refusal(shallow + kFlush), "no ref updates"));
}

TEST(PushParser, RefusesRefsOutsideTheThreeSpacesByName) {  // R4
  for (const auto* name : {"refs/notes/commits", "refs/replace/x", "refs/meta/config"}) {
    const auto reason = refusal(line(text('0', 'a', name)) + kFlush);
    EXPECT_TRUE(mentions(reason, name)) << reason;
    EXPECT_TRUE(mentions(reason, "refs/nostr/")) << reason;
  }
  EXPECT_EQ(refusal(line(text('0', 'a', "refs/heads/pr/x")) + kFlush), "");
  EXPECT_EQ(refusal(line(text('0', 'a', "refs/nostr/x")) + kFlush), "");
}

TEST(PushParser, TakesFromNothingToNothingForADeletion) {  // R4
  EXPECT_EQ(refusal(line(text('0', '0', "refs/heads/x")) + kFlush), "");
}

TEST(PushParser, RefusesTwinsAndInvalidNames) {  // R4
  EXPECT_TRUE(mentions(refusal(line(kMain) + line(kMain) + kFlush), "twice"));
  for (const auto* name :
       {"HEAD", "refs/heads/a..b", "refs/heads/ a", "../x", "refs/heads/a\n\n"}) {
    EXPECT_TRUE(mentions(refusal(line(text('0', 'a', name)) + kFlush), "not a valid ref")) << name;
  }
}

TEST(PushParser, RefusesNamesThatNoFileCanHaveAsSuch) {  // R4
  const std::string name = "refs/heads/" + std::string(300, 'a');
  EXPECT_TRUE(mentions(refusal(line(text('0', 'a', name)) + kFlush),
                       "has a part of 300 bytes, and a file can hold 250"));
}

TEST(PushParser, ReadsOnToTheEndOfAReadableListThatItRefuses) {  // R5
  PushParser parser;
  EXPECT_EQ(parser.feed(line(text('0', 'a', "refs/notes/x") + "\0report-status"s)),
            State::NeedMore);
  EXPECT_EQ(parser.feed(line(kMain)), State::NeedMore);
  EXPECT_EQ(parser.feed(kFlush + "PACK"), State::Refused);
  EXPECT_EQ(parser.request().commands.size(), 2);
  EXPECT_TRUE(mentions(parser.reason(), "refs/notes/x"));
  EXPECT_EQ(parser.feed("more"), State::Refused);
}

TEST(PushParser, KnowsTheProbe) {  // R6
  PushParser parser;
  EXPECT_EQ(parser.feed("00"), State::NeedMore);
  EXPECT_EQ(parser.feed("00"), State::Probe);
  EXPECT_EQ(parser.feed(""), State::Probe);
  EXPECT_EQ(parser.feed("P"), State::Refused);
  EXPECT_TRUE(mentions(refusal("0000PACK"), "no ref updates"));
}

TEST(PushParser, ReadsPushOptionsWhenTheyWereAnnounced) {  // R7
  PushParser parser;
  EXPECT_EQ(parser.feed(line(kMain + "\0push-options"s) + kFlush), State::NeedMore);
  EXPECT_EQ(parser.feed(line("ci.skip\n") + line("a=b") + kFlush + "PACK"), State::Done);
  EXPECT_EQ(parser.request().options, (std::vector<std::string>{"ci.skip", "a=b"}));
  EXPECT_EQ(parser.take_rest(), "PACK");
}

TEST(PushParser, IsBounded) {
  const std::string two = line(kMain) + line(text('0', 'b', "refs/heads/b")) + kFlush;
  EXPECT_EQ(refusal(two, {.commands_max = 2}), "");
  EXPECT_TRUE(mentions(refusal(two, {.commands_max = 1}), "at most 1 ref"));
  EXPECT_EQ(refusal(two, {.bytes_max = two.size()}), "");
  EXPECT_TRUE(mentions(refusal(two, {.bytes_max = two.size() - 1}), "fewer"));
  const std::string options = line(kMain + "\0push-options"s) + kFlush + line("a") + line("b");
  EXPECT_TRUE(mentions(refusal(options, {.options_max = 1}), "at most 1 push options"));
}

TEST(PushParser, ShowsAStrangersLineWithoutItsControlBytes) {
  const auto reason = refusal(line("\x1b[2J" + std::string(500, 'x')));
  EXPECT_EQ(reason.find('\x1b'), std::string::npos);
  EXPECT_LT(reason.size(), 200);
}

}  // namespace push_request_test
}  // namespace graspd::git
