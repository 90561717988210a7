// Events of another server: verified on several threads, counted by kind, and written if there is a
// store to write to.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/database/import_pipeline.h"
#include "app/import_ngit/ngit_store.h"
#include "app/import_ngit/saved_purgatory.h"

namespace graspd::app {

class NgitIntake {
 public:
  struct Options {
    store::EventStore* store = nullptr;  // null: only verify and count
    nostr::RelayUrl self;
    std::size_t threads = 1;
    core::UnixSeconds now = 0;
    relay::Limits limits = {};
  };
  struct Counts {
    std::map<std::uint16_t, std::uint64_t> by_kind;  // good ones
    std::uint64_t unreadable = 0;                    // no event at all
    std::uint64_t internal = 0;                      // that only its own server understands
    ImportReport report;
  };

  explicit NgitIntake(Options options) : options_(std::move(options)) {}

  core::Result<core::Done, std::string> take(const lmdb::NgitStore& from);
  core::Result<core::Done, std::string> take(const nostr::Event& event);
  core::Result<core::Done, std::string> finish();  // writes what is left
  // Notes of events that wait for git data; those that are not good are counted.
  std::vector<store::Note> waiting(const SavedPurgatory& saved);

  // The good events of one of its stores, not written; the others are counted.
  core::Result<std::vector<nostr::WireEventPtr>, std::string> read(const lmdb::NgitStore& from);

  const Counts& counts() const { return counts_; }

 private:
  void add(const nostr::Event& event);
  core::Result<core::Done, std::string> write_batch();
  void good(const nostr::Event& event) { ++counts_.by_kind[event.kind.value]; }
  void bad(const std::string& reason);

  Options options_;
  std::vector<std::string> batch_;
  Counts counts_;
};

}  // namespace graspd::app
