#include <ctime>
#include <fmt/format.h>

#include "load/bare_fanout.h"
#include "load/corpus_event.h"
#include "load/hub.h"
#include "load/measure.h"
#include "load/scenario.h"
#include "nostr/serialize.h"

namespace graspd::load {
namespace {

constexpr double kAudienceSecondsMax = 20;
constexpr std::size_t kFewSubscribers = 200;

// The publisher is connection 0, the subscribers are those after it.
class Audience {
 public:
  explicit Audience(ServerProcess& server) : server_(server) { hub_.add({server.port()}); }

  std::size_t size() const { return hub_.size() - 1; }

  void grow_to(std::size_t subscribers) {
    std::size_t added = 0;
    for (; size() < subscribers; ++added) {
      const std::size_t index = hub_.add({server_.port()});
      subscribe(index, "live", fmt::format(R"({{"kinds":[1621],"#a":["{}"]}})", address_));
    }
    await_end_of_stored(added);
  }

  // Subscriptions of the usual shapes that want something else, spread over the connections.
  void add_others(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::string other = fmt::format("30617:{:064x}:other-{}", i % 1000 + 1, i);
      const std::string filter =
          i % 4 == 0   ? fmt::format(R"({{"#a":["{}"]}})", other)
          : i % 4 == 1 ? fmt::format(R"({{"kinds":[1621,1617],"#a":["{}"]}})", other)
          : i % 4 == 2 ? fmt::format(R"({{"kinds":[1111],"#e":["{:064x}"]}})", i)
                       : fmt::format(R"({{"kinds":[1621],"authors":["{:064x}"]}})", i);
      subscribe(1 + i % size(), fmt::format("other{}", i), filter);
      if (i % 1000 == 999 || i + 1 == count) await_end_of_stored(i % 1000 + 1);
    }
  }

  struct Publication {
    double last_receipt = 0, ok = 0, server_cpu = 0;
    std::size_t message_bytes = 0;  // what each subscriber got
  };
  Publication publish() {
    const std::string frame = next_event_frame();
    const double begin = wall_seconds(), cpu = server_.cpu_seconds();
    hub_.send(0, frame);
    Publication publication;
    std::size_t received = 0;
    const Deadline deadline(kAudienceSecondsMax);
    while (received < size() || publication.ok == 0) {
      if (deadline.passed()) throw Failed("not every subscriber got the event");
      hub_.poll(1000, [&](std::size_t index, std::string_view text) {
        if (index != 0) ++received, publication.message_bytes = text.size();
        if (index == 0) publication.ok = wall_seconds() - begin;
      });
      if (received == size() && publication.last_receipt == 0)
        publication.last_receipt = wall_seconds() - begin;
    }
    publication.server_cpu = server_.cpu_seconds() - cpu;
    return publication;
  }

 private:
  void subscribe(std::size_t index, const std::string& name, const std::string& filter) {
    std::string frame;
    append_client_frame(frame, Opcode::Text, fmt::format(R"(["REQ","{}",{}])", name, filter));
    hub_.send(index, frame);
  }

  void await_end_of_stored(std::size_t count) {
    const Deadline deadline(kAudienceSecondsMax);
    while (count > 0) {
      if (deadline.passed()) throw Failed("no EOSE");
      hub_.poll(1000, [&](std::size_t, std::string_view text) {
        if (text.starts_with(R"(["EOSE")")) --count;
      });
    }
  }

  std::string next_event_frame() {
    nostr::Event event;
    event.kind = {1621};
    event.created_at = std::time(nullptr);
    event.tags = nostr::Tags{{"a", address_}};
    event.content = fmt::format("publication {}", published_++);
    world_.author(0).sign(event, {});
    std::string frame;
    append_client_frame(frame, Opcode::Text, fmt::format(R"(["EVENT",{}])", nostr::to_json(event)));
    return frame;
  }

  ServerProcess& server_;
  World world_;
  std::string address_ = "30617:" + world_.author(0).public_key().hex() + ":fanout";
  Hub hub_;
  std::size_t published_ = 0;
};

struct Medians {
  double last_receipt_ms, cpu_seconds;
  std::size_t message_bytes;
};
Medians measure(Bench& bench, Audience& audience, const std::string& who, Goal goal) {
  std::vector<double> last, ok, cpu;
  std::size_t message_bytes = 0;
  for (std::size_t i = 0; i < bench.options().publications; ++i) {
    const Audience::Publication publication = audience.publish();
    last.push_back(publication.last_receipt * 1e3);
    ok.push_back(publication.ok * 1e3);
    cpu.push_back(publication.server_cpu);
    message_bytes = publication.message_bytes;
  }
  Report& report = bench.report();
  report.figure(who + ": last receipt, median", median(last), "ms", goal);
  report.figure(who + ": last receipt, p90", quantile(last, 0.9), "ms");
  report.figure(who + ": OK, median", median(ok), "ms");
  report.figure(who + ": server CPU per publication", median(cpu) * 1e3, "ms");
  return {median(last), median(cpu), message_bytes};
}

double bare_milliseconds(const Options& options, std::size_t message_bytes) {
  BareFanout bare(options.subscribers);
  const std::string message(message_bytes, 'x');
  std::vector<double> readings;
  for (std::size_t i = 0; i < options.publications; ++i)
    readings.push_back(bare.send_to_all(message) * 1e3);
  return median(readings);
}

}  // namespace

void run_fanout(Bench& bench) {
  const Options& options = bench.options();
  const ScratchDirectory scratch;
  ServerProcess server(options.server, scratch.path());
  Audience audience(server);
  audience.grow_to(kFewSubscribers);
  measure(bench, audience, fmt::format("{} subscribers", kFewSubscribers), kNoGoal);
  audience.grow_to(options.subscribers);
  const std::string many = fmt::format("{} subscribers", options.subscribers);
  const Medians before = measure(bench, audience, many, at_most(10));
  const double bare = bare_milliseconds(options, before.message_bytes);
  bench.report().figure(fmt::format("{} bare sends: last receipt, median", options.subscribers),
                        bare, "ms");
  bench.report().figure(many + ": ratio to bare sends", before.last_receipt_ms / bare, "");
  audience.add_others(options.other_subscriptions);
  const Medians after = measure(
      bench, audience,
      fmt::format("{} + {} others", options.subscribers, options.other_subscriptions), kNoGoal);
  bench.report().figure("CPU per publication, change by the others",
                        (after.cpu_seconds / before.cpu_seconds - 1) * 100, "%", at_most(10));
}

}  // namespace graspd::load
