// Three streams in one (side-band-64k): every packet's first byte names its stream.
//
//   R1  No packet exceeds 65520 bytes; longer payloads are split. An empty payload adds nothing.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "git/pkt_line.h"

namespace graspd::git {

enum class Band { Data = 1, Progress = 2, Fatal = 3 };

inline constexpr std::size_t kBandPayloadMax = kPktPayloadMax - 1;

void append_band(std::string& out, Band band, std::string_view payload);

}  // namespace graspd::git
