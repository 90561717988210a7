// A command list is read the same whole and byte by byte; what is accepted keeps the rules, and a
// list written from it is read as the same one. Every refusal can be answered, and the answer read.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/check.h"
#include "git/pkt_line.h"
#include "git/push_request.h"
#include "git/report.h"

namespace graspd::git {
namespace {

using State = PushParser::State;

// Small, so that the limits are reached too.
constexpr PushParser::Limits kLimits = {.commands_max = 20, .bytes_max = 4096, .options_max = 4};

void check_same(const PushRequest& a, const PushRequest& b) {
  CHECK(a.commands == b.commands);
  CHECK(a.capabilities == b.capabilities);
  CHECK(a.options == b.options);
  CHECK(a.shallow == b.shallow);
}

void check_bytewise(std::string_view body, PushParser& whole, State state) {
  PushParser slow(kLimits);
  State last = State::NeedMore;
  for (const char& byte : body) last = slow.feed({&byte, 1});
  CHECK(last == state);
  CHECK(slow.reason() == whole.reason());
  check_same(slow.request(), whole.request());
  if (state == State::Done) CHECK(slow.take_rest() == whole.take_rest());
}

std::string written(const PushRequest& request) {
  std::string out;
  for (const auto& oid : request.shallow) append_pkt(out, "shallow " + oid.hex());
  for (const auto& command : request.commands) {
    const std::string line =
        command.old_oid.hex() + " " + command.new_oid.hex() + " " + command.ref.text();
    append_pkt(out, line);
  }
  out += kFlushPkt;
  return out;
}

void check_accepted(const PushRequest& request) {
  CHECK(!request.commands.empty());
  CHECK(request.commands.size() <= kLimits.commands_max);
  CHECK(request.options.size() <= kLimits.options_max);
  for (const auto& command : request.commands) {
    CHECK(command.ref.space() != RefName::Space::Other);
    CHECK(!command.old_oid.is_zero() || !command.new_oid.is_zero());
  }
  PushParser again;
  CHECK(again.feed(written(request)) == State::Done);
  CHECK(again.request().commands == request.commands);
  CHECK(again.request().shallow == request.shallow);
}

void check_refused(const PushParser& parser) {
  CHECK(!parser.reason().empty());
  const std::vector<Result> results = {{*RefName::parse("refs/heads/x"), parser.reason()}};
  const auto report = parse_report_status(report_status(parser.reason(), results));
  CHECK(report);
  CHECK(report->results.at(results[0].ref) == parser.reason());
}

}  // namespace
}  // namespace graspd::git

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graspd::git;
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  PushParser parser(kLimits);
  const State state = parser.feed(body);
  CHECK(parser.reason().empty() || state == State::Refused || state == State::NeedMore);
  if (state == State::Done) check_accepted(parser.request());
  if (state == State::Refused) check_refused(parser);
  check_bytewise(body, parser, state);
  if (const auto report = parse_report_status(body)) CHECK(!report->unpack.empty());
  return 0;
}
