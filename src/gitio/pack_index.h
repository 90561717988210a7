// The index of a pack: which objects it holds, in order.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "core/result.h"
#include "git/oid.h"

namespace graspd::gitio {

class PackIndex {
 public:
  // Version 2, which is all that git has written since 2007.
  static core::Result<PackIndex, std::string> open(const std::filesystem::path& path);

  PackIndex(PackIndex&& other) noexcept;
  PackIndex& operator=(PackIndex&& other) noexcept;
  ~PackIndex();

  std::size_t size() const { return oids_.size() / git::Oid::kSize; }
  git::Oid operator[](std::size_t position) const;  // ascending

 private:
  explicit PackIndex(std::span<const std::uint8_t> file) : file_(file) {}

  std::span<const std::uint8_t> file_;  // mapped
  std::span<const std::uint8_t> oids_;  // within it
};

}  // namespace graspd::gitio
