// Asks one kind of question over and over and counts what comes back.
#pragma once
#include <atomic>
#include <string>
#include <vector>

#include "load/frame.h"
#include "load/server_process.h"

namespace graspd::load {

struct AnswerRun {
  double seconds = 0, server_cpu = 0, client_cpu = 0;
  std::size_t events = 0, bytes = 0;
  std::vector<double> latencies;  // seconds from REQ to EOSE

  double events_per_second() const { return static_cast<double>(events) / seconds; }
  double queries_per_second() const { return static_cast<double>(latencies.size()) / seconds; }
};

struct Asking {
  std::size_t connections = 1;
  double seconds = 1;
  // Between an answer and the next question of a connection.
  double pause_seconds = 0;
};

// `questions` are REQs in any number; each connection has one open at a time and asks the next
// when its EOSE is there. Ends when the time is over or `stop` says so.
AnswerRun ask(ServerProcess& server, const FrameTrain& questions, const Asking& asking,
              const std::atomic<bool>& stop);

}  // namespace graspd::load
