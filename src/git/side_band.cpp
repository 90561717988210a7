#include "git/side_band.h"

namespace graspd::git {

void append_band(std::string& out, Band band, std::string_view payload) {
  while (!payload.empty()) {
    const auto part = payload.substr(0, kBandPayloadMax);
    append_pkt(out, static_cast<char>(band) + std::string(part));
    payload.remove_prefix(part.size());
  }
}

}  // namespace graspd::git
