#include "relay/hyper_log_log.h"

#include <algorithm>
#include <bit>

#include "core/check.h"
#include "core/hex.h"

namespace graspd::relay {

void HyperLogLog::add(const nostr::PublicKey& author) {
  const auto& bytes = author.bytes();
  CHECK(offset_ + 1u < bytes.size());
  unsigned zeros = 0;
  for (std::size_t i = offset_ + 1u; i < bytes.size(); ++i) {
    zeros += static_cast<unsigned>(std::countl_zero(bytes[i]));
    if (bytes[i] != 0) break;
  }
  auto& reg = registers_[bytes[offset_]];
  reg = std::max(reg, static_cast<std::uint8_t>(zeros + 1));
}

std::string HyperLogLog::hex() const { return core::encode_hex(registers_); }

}  // namespace graspd::relay
