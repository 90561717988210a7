#include "negentropy/bad_message.h"

#include "core/check.h"

namespace graspd::negentropy {

std::string_view describe(BadMessage reason) {
  switch (reason) {
    case BadMessage::Truncated:
      return "message is cut short";
    case BadMessage::Version:
      return "unknown protocol version";
    case BadMessage::Varint:
      return "malformed number";
    case BadMessage::Bounds:
      return "range bounds out of order";
    case BadMessage::Mode:
      return "unknown range mode";
    case BadMessage::TooManyIds:
      return "too many ids";
  }
  CHECK(false);
}

}  // namespace graspd::negentropy
