// What to measure, and how much of it.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace graspd::load {

struct Options {
  std::string server;            // the binary under load
  std::filesystem::path corpus;  // made when missing
  std::vector<std::string> scenarios;
  bool quick = false;

  std::size_t repetitions = 3;
  std::size_t ingest_events = 50'000;
  std::size_t ingest_window = 2048;  // unanswered events of all connections together
  std::size_t stored_events = 100'000;
  std::size_t stored_events_large = 1'000'000;
  double query_seconds = 2;
  std::size_t subscribers = 2'000;
  std::size_t other_subscriptions = 10'000;
  std::size_t publications = 50;
  std::size_t idle_connections = 10'000;
};

// Throws Failed with the usage when it does not understand.
Options read_options(int argc, char** argv);

}  // namespace graspd::load
