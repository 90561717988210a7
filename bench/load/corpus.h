// The events of the World in a file, one JSON object per line: signing is slow, reading is not.
//
//   R1  The file only grows: a longer corpus begins with the shorter one.
//   R2  A line cut short by a killed run is dropped and made again.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "nostr/keys.h"

namespace graspd::load {

class Corpus {
 public:
  // Makes the missing events first, on all cores.
  Corpus(const std::filesystem::path& file, std::size_t count);
  ~Corpus();
  Corpus(const Corpus&) = delete;
  Corpus& operator=(const Corpus&) = delete;

  std::size_t size() const { return ends_.size(); }
  std::string_view json(std::size_t index) const;
  std::string_view id_hex(std::size_t index) const;
  nostr::EventId id(std::size_t index) const;
  std::int64_t created_at(std::size_t index) const;

  // The first `count` lines as a file of their own.
  void write_prefix(std::size_t count, const std::filesystem::path& file) const;

 private:
  const char* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::vector<std::size_t> ends_;  // past the newline
};

}  // namespace graspd::load
