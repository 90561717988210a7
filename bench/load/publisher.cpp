#include "load/publisher.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/check.h"
#include "core/hex.h"
#include "load/failure.h"
#include "load/measure.h"

namespace graspd::load {
namespace {

constexpr double kPublishingSecondsMax = 300;
constexpr std::string_view kOk = R"(["OK",")", kAccepted = R"(",true)";
constexpr std::size_t kKeyChars = 16, kIdChars = 64;

std::uint64_t key_of(std::string_view id_hex) {
  std::array<std::uint8_t, kKeyChars / 2> bytes;
  if (!core::decode_hex(id_hex.substr(0, kKeyChars), bytes)) throw Failed("an OK without an id");
  std::uint64_t key = 0;
  std::memcpy(&key, bytes.data(), sizeof key);
  return key;
}

}  // namespace

Publisher::Publisher(const Corpus& corpus, std::size_t events) : sent_at_(events) {
  constexpr std::size_t kFrameBytesGuess = 700;
  frames_.reserve(events, events * kFrameBytesGuess);
  std::string text;
  for (std::size_t i = 0; i < events; ++i) {
    text.assign(R"(["EVENT",)").append(corpus.json(i)).append("]");
    frames_.append(text);
    index_of_[key_of(corpus.id_hex(i))] = static_cast<std::uint32_t>(i);
  }
  CHECK(index_of_.size() == events);
}

PublishRun Publisher::run(ServerProcess& server, std::size_t connections, std::size_t window) {
  Hub hub;
  lanes_.assign(connections, {});
  result_ = {};
  result_.latencies.reserve(frames_.size());
  for (std::size_t i = 0; i < connections; ++i) {
    hub.add({server.port()});
    lanes_[i].next = frames_.size() * i / connections;
    lanes_[i].end = frames_.size() * (i + 1) / connections;
  }

  const Deadline deadline(kPublishingSecondsMax);
  const double wall = wall_seconds(), cpu = server.cpu_seconds(), own = own_cpu_seconds();
  while (result_.latencies.size() < frames_.size()) {
    if (deadline.passed()) throw Failed("events stayed unanswered");
    for (std::size_t i = 0; i < connections; ++i) refill(hub, i, window / connections);
    hub.poll(1000, [&](std::size_t lane, std::string_view text) { on_answer(lane, text); });
  }
  result_.seconds = wall_seconds() - wall;
  result_.server_cpu = server.cpu_seconds() - cpu;
  result_.client_cpu = own_cpu_seconds() - own;
  return std::move(result_);
}

// In quarters of the window: many events per system call, and never an idle server.
void Publisher::refill(Hub& hub, std::size_t index, std::size_t window) {
  Lane& lane = lanes_[index];
  const std::size_t left = lane.end - lane.next, room = window - lane.unanswered;
  const std::size_t count = std::min(left, room);
  if (count == 0 || (room < window / 4 && count < left)) return;
  const double now = wall_seconds();
  std::fill_n(sent_at_.begin() + static_cast<std::ptrdiff_t>(lane.next), count, now);
  hub.send(index, frames_.run(lane.next, lane.next + count));
  lane.next += count;
  lane.unanswered += count;
}

void Publisher::on_answer(std::size_t lane, std::string_view text) {
  if (!text.starts_with(kOk)) throw Failed("not an OK: " + std::string(text.substr(0, 200)));
  const auto found = index_of_.find(key_of(text.substr(kOk.size())));
  if (found == index_of_.end()) throw Failed("an OK for an unknown event");
  result_.latencies.push_back(wall_seconds() - sent_at_[found->second]);
  const bool accepted = text.substr(kOk.size() + kIdChars).starts_with(kAccepted);
  if (!accepted) throw Failed("refused: " + std::string(text.substr(0, 200)));
  ++result_.accepted;
  --lanes_[lane].unanswered;
}

}  // namespace graspd::load
