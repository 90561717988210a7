#include "load/questioner.h"

#include <chrono>
#include <thread>

#include "load/hub.h"
#include "load/measure.h"

namespace graspd::load {
namespace {

constexpr double kDrainSecondsMax = 30;

class Questioner {
 public:
  Questioner(ServerProcess& server, const FrameTrain& questions, const Asking& asking)
      : questions_(questions), asked_at_(asking.connections) {
    for (std::size_t i = 0; i < asking.connections; ++i) hub_.add({server.port()});
  }

  void ask_next(std::size_t connection) {
    asked_at_[connection] = wall_seconds();
    hub_.send(connection, questions_[next_++ % questions_.size()]);
    ++open_;
  }

  // Calls `again(connection)` for each answer that is complete.
  template <class Again>
  void poll(AnswerRun& run, Again&& again) {
    hub_.poll(100, [&](std::size_t connection, std::string_view text) {
      run.bytes += text.size();
      if (text.starts_with(R"(["EVENT")")) {
        ++run.events;
        return;
      }
      if (!text.starts_with(R"(["EOSE")"))
        throw Failed("not an answer: " + std::string(text.substr(0, 200)));
      run.latencies.push_back(wall_seconds() - asked_at_[connection]);
      --open_;
      again(connection);
    });
  }

  std::size_t open() const { return open_; }

 private:
  const FrameTrain& questions_;
  Hub hub_;
  std::vector<double> asked_at_;
  std::size_t next_ = 0, open_ = 0;
};

void rest(double seconds) {
  if (seconds > 0) std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

}  // namespace

AnswerRun ask(ServerProcess& server, const FrameTrain& questions, const Asking& asking,
              const std::atomic<bool>& stop) {
  Questioner questioner(server, questions, asking);
  AnswerRun run;
  const Deadline deadline(asking.seconds), drained(asking.seconds + kDrainSecondsMax);
  const double wall = wall_seconds(), cpu = server.cpu_seconds(), own = own_cpu_seconds();
  for (std::size_t i = 0; i < asking.connections; ++i) questioner.ask_next(i);
  while (questioner.open() > 0) {
    if (drained.passed()) throw Failed("a question stayed unanswered");
    questioner.poll(run, [&](std::size_t connection) {
      rest(asking.pause_seconds);
      if (!deadline.passed() && !stop) questioner.ask_next(connection);
    });
  }
  run.seconds = wall_seconds() - wall;
  run.server_cpu = server.cpu_seconds() - cpu;
  run.client_cpu = own_cpu_seconds() - own;
  return run;
}

}  // namespace graspd::load
