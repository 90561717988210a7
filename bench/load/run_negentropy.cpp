#include <algorithm>
#include <fmt/format.h>

#include "core/check.h"
#include "core/hex.h"
#include "load/connection.h"
#include "load/failure.h"
#include "load/measure.h"
#include "load/scenario.h"
#include "negentropy/reconciler.h"

namespace graspd::load {
namespace {

constexpr double kAnswerSecondsMax = 60;
constexpr std::size_t kRoundsMax = 10'000, kBufferBytes = 1024 * 1024;

using Items = std::vector<negentropy::Item>;

Items items_by_time(const Corpus& corpus, std::size_t count) {
  Items items(count);
  for (std::size_t i = 0; i < count; ++i)
    items[i] = {static_cast<std::uint64_t>(corpus.created_at(i)), corpus.id(i).bytes()};
  std::sort(items.begin(), items.end());
  return items;
}

std::string hex(std::string_view binary) {
  return core::encode_hex({reinterpret_cast<const std::uint8_t*>(binary.data()), binary.size()});
}

std::string binary_of(const std::string& neg_msg) {
  constexpr std::string_view kBefore = R"(["NEG-MSG","n",")", kAfter = R"("])";
  if (!neg_msg.starts_with(kBefore)) throw Failed("not a NEG-MSG: " + neg_msg.substr(0, 200));
  const std::string_view digits = std::string_view(neg_msg).substr(
      kBefore.size(), neg_msg.size() - kBefore.size() - kAfter.size());
  std::string bytes(digits.size() / 2, '\0');
  if (!core::decode_hex(digits, {reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()}))
    throw Failed("NEG-MSG is not hex");
  return bytes;
}

struct Reconciliation {
  double seconds = 0, server_cpu = 0, client_cpu = 0;
  std::size_t rounds = 0, bytes = 0, needed = 0;
};

class Peer {
 public:
  explicit Peer(ServerProcess& server) : server_(server), connection_({server.port()}) {}

  Reconciliation reconcile(const std::shared_ptr<const negentropy::ItemSet>& mine) {
    negentropy::Initiator initiator(mine, {});
    Reconciliation result;
    const double wall = wall_seconds(), cpu = server_.cpu_seconds(), own = own_cpu_seconds();
    std::string message = R"(["NEG-OPEN","n",{},")" + hex(initiator.initial_message()) + R"("])";
    for (bool finished = false; !finished;) {
      if (++result.rounds > kRoundsMax) throw Failed("reconciliation does not end");
      const std::string answer = exchange(message, result);
      const auto step = initiator.reconcile(binary_of(answer));
      if (!step) throw Failed("bad answer: " + std::string(describe(step.error())));
      result.needed += step->need.size();
      finished = !step->next;
      if (!finished) message = R"(["NEG-MSG","n",")" + hex(*step->next) + R"("])";
    }
    result.seconds = wall_seconds() - wall;
    result.server_cpu = server_.cpu_seconds() - cpu;
    result.client_cpu = own_cpu_seconds() - own;
    send(R"(["NEG-CLOSE","n"])");
    return result;
  }

 private:
  void send(const std::string& text) {
    std::string frame;
    append_client_frame(frame, Opcode::Text, text);
    connection_.send(frame);
  }

  std::string exchange(const std::string& message, Reconciliation& result) {
    send(message);
    std::string answer = connection_.read_text(buffer_, kAnswerSecondsMax);
    result.bytes += message.size() + answer.size();
    return answer;
  }

  ServerProcess& server_;
  Connection connection_;
  std::vector<char> buffer_ = std::vector<char>(kBufferBytes);
};

struct Difference {
  double share = 0;
  Goal server_ms, server_ms_large;
};
constexpr std::array<Difference, 3> kDifferences{
    {{0, kNoGoal, at_most(50)}, {0.01, kNoGoal, at_most(300)}, {0.5, kNoGoal, kNoGoal}}};

// The newest part is missing, as it is after an absence. Ids missing at random would be the worst
// case of the protocol and say little about a peer that was away.
void measure(Bench& bench, ServerProcess& server, const Items& items, double share, Goal goal) {
  const auto missing = static_cast<std::size_t>(static_cast<double>(items.size()) * share);
  const auto mine = std::make_shared<const negentropy::ItemSet>(
      Items(items.begin(), items.end() - static_cast<std::ptrdiff_t>(missing)));
  Peer peer(server);
  std::vector<double> wall, cpu, client;
  Reconciliation last;
  for (std::size_t i = 0; i < std::max<std::size_t>(3, bench.options().repetitions); ++i) {
    last = peer.reconcile(mine);
    if (last.needed != missing) throw Failed("the difference found is not the one made");
    wall.push_back(last.seconds * 1e3);
    cpu.push_back(last.server_cpu * 1e3);
    client.push_back(last.client_cpu * 1e3);
  }
  Report& report = bench.report();
  const std::string what = fmt::format("{} events, {:g} % differ: ", items.size(), share * 100);
  report.figure(what + "server CPU", median(cpu), "ms", goal);
  report.figure(what + "server CPU, first time", cpu.front(), "ms");
  report.figure(what + "wall", median(wall), "ms");
  report.figure(what + "client CPU", median(client), "ms");
  report.figure(what + "rounds", static_cast<double>(last.rounds), "");
  report.figure(what + "bytes", static_cast<double>(last.bytes), "B");
}

}  // namespace

void run_negentropy(Bench& bench) {
  const Options& options = bench.options();
  for (const std::size_t events : {options.stored_events, options.stored_events_large}) {
    StockedServer server(bench, events);
    bench.report().figure(fmt::format("import of {}", events),
                          static_cast<double>(events) / server.import_wall_seconds(), "events/s");
    const Items items = items_by_time(bench.corpus(events), events);
    const bool large = events == 1'000'000;
    for (const Difference& difference : kDifferences)
      measure(bench, *server, items, difference.share,
              large ? difference.server_ms_large : difference.server_ms);
  }
}

}  // namespace graspd::load
