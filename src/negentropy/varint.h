// Numbers on the wire: base 128, most significant digit first, bit eight set on all but the last.
//
//   R1  A number has one spelling: no leading zero digits, at most 64 bits.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"
#include "negentropy/bad_message.h"

namespace graspd::negentropy {

constexpr std::size_t kVarintBytesMax = 10;

void append_varint(std::string& out, std::uint64_t value);

// Takes the number off the front of `bytes`.
core::Result<std::uint64_t, BadMessage> read_varint(std::string_view& bytes);

}  // namespace graspd::negentropy
