// Why a message of the other side was refused.
#pragma once
#include <string_view>

namespace graspd::negentropy {

enum class BadMessage {
  Truncated,   // ends inside a range, or announces more than it carries
  Version,     // not a protocol version, or none we speak
  Varint,      // more than 64 bits, or written with more digits than needed
  Bounds,      // not ascending, past the last timestamp, or with a prefix longer than an id
  Mode,        // neither skip, fingerprint nor id list
  TooManyIds,  // the other side claims more than Options::need_max ids we lack
};
std::string_view describe(BadMessage reason);

}  // namespace graspd::negentropy
