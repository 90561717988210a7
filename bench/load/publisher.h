// Sends events as fast as the server answers them, with a bounded number unanswered.
#pragma once
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "load/corpus.h"
#include "load/hub.h"
#include "load/server_process.h"

namespace graspd::load {

struct PublishRun {
  double seconds = 0, server_cpu = 0, client_cpu = 0;
  std::size_t accepted = 0;
  std::vector<double> latencies;  // seconds from send() to OK

  double rate() const { return static_cast<double>(latencies.size()) / seconds; }
  double cpu_per_event() const { return server_cpu / static_cast<double>(latencies.size()); }
};

class Publisher {
 public:
  // The frames are made here, before any clock runs.
  Publisher(const Corpus& corpus, std::size_t events);

  // Every event once; connection k of n sends the k-th n-th of them.
  PublishRun run(ServerProcess& server, std::size_t connections, std::size_t window);

 private:
  struct Lane {
    std::size_t next = 0, end = 0, unanswered = 0;
  };
  void refill(Hub& hub, std::size_t lane, std::size_t window);
  void on_answer(std::size_t lane, std::string_view text);

  FrameTrain frames_;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> index_of_;  // by the id's first bytes
  std::vector<double> sent_at_;
  std::vector<Lane> lanes_;
  PublishRun result_;
};

}  // namespace graspd::load
