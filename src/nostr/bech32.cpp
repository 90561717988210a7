#include "nostr/bech32.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/ascii.h"

namespace graspd::nostr::bech32 {
namespace {

constexpr std::string_view kAlphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
constexpr std::size_t kChecksumSize = 6;

// The group a character of either case stands for, or -1.
constexpr std::array<std::int8_t, 256> kGroups = [] {
  std::array<std::int8_t, 256> groups{};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto group = kAlphabet.find(core::lower(static_cast<char>(i)));
    groups[i] = group == std::string_view::npos ? -1 : static_cast<std::int8_t>(group);
  }
  return groups;
}();
int group_of(char c) { return kGroups[static_cast<std::uint8_t>(c)]; }

// The BCH code of BIP-173, fed one five-bit group at a time.
class Checksum {
 public:
  explicit Checksum(std::string_view prefix) {
    for (char c : prefix) feed(static_cast<std::uint8_t>(c) >> 5);
    feed(0);
    for (char c : prefix) feed(static_cast<std::uint8_t>(c) & 31);
  }
  void feed(std::uint32_t group) {
    constexpr std::uint32_t kGenerators[] = {0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd,
                                             0x2a1462b3};
    const std::uint32_t top = state_ >> 25;
    state_ = (state_ & 0x1ffffff) << 5 ^ group;
    for (int i = 0; i < 5; ++i) state_ ^= (top >> i & 1) != 0 ? kGenerators[i] : 0;
  }
  std::uint32_t state() const { return state_; }

 private:
  std::uint32_t state_ = 1;
};

// R1
bool is_in_one_case(std::string_view text) {
  return !std::any_of(text.begin(), text.end(), core::is_upper) ||
         !std::any_of(text.begin(), text.end(), core::is_lower);
}

bool is_prefix(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > 32 && c < 127; });
}

// R2: five-bit groups to bytes; nullopt when the bits left over are not a mere filling.
std::optional<std::vector<std::uint8_t>> bytes_of(std::string_view groups) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(groups.size() * 5 / 8);  // enough: growing would leave copies of a secret behind
  std::uint32_t bits = 0;
  int count = 0;
  for (char c : groups) {
    bits = bits << 5 | static_cast<std::uint32_t>(group_of(c));
    count += 5;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::uint8_t>(bits >> count));
    bits &= (1u << count) - 1;
  }
  if (count >= 5 || bits != 0) return std::nullopt;
  return bytes;
}

void append_groups(std::string& out, Checksum& checksum, std::span<const std::uint8_t> bytes) {
  const auto append = [&](std::uint32_t group) {
    checksum.feed(group);
    out += kAlphabet[group];
  };
  std::uint32_t bits = 0;
  int count = 0;
  for (std::uint8_t byte : bytes) {
    bits = (bits & 31) << 8 | byte;
    for (count += 8; count >= 5; count -= 5) append(bits >> (count - 5) & 31);
  }
  if (count > 0) append(bits << (5 - count) & 31);
}

}  // namespace

core::Result<Decoded, Bad> decode(std::string_view text) {
  if (text.size() > kCharactersMax) return core::Failure{Bad::TooLong};
  const auto separator = text.rfind('1');
  if (separator == std::string_view::npos) return core::Failure{Bad::NotBech32};
  const auto prefix = text.substr(0, separator);
  const auto groups = text.substr(separator + 1);
  if (!is_in_one_case(text) || !is_prefix(prefix) || groups.size() < kChecksumSize) {
    return core::Failure{Bad::NotBech32};
  }
  Decoded decoded{core::lowered(prefix), {}};
  Checksum checksum(decoded.prefix);
  for (char c : groups) {
    if (group_of(c) < 0) return core::Failure{Bad::NotBech32};
    checksum.feed(static_cast<std::uint32_t>(group_of(c)));
  }
  if (checksum.state() != 1) return core::Failure{Bad::Checksum};
  auto bytes = bytes_of(groups.substr(0, groups.size() - kChecksumSize));
  if (!bytes) return core::Failure{Bad::NotBech32};
  decoded.bytes = *std::move(bytes);
  return decoded;
}

std::string encode(std::string_view prefix, std::span<const std::uint8_t> bytes) {
  std::string out(prefix);
  out += '1';
  Checksum checksum(prefix);
  append_groups(out, checksum, bytes);
  for (std::size_t i = 0; i < kChecksumSize; ++i) checksum.feed(0);
  const std::uint32_t sum = checksum.state() ^ 1;
  for (int shift = 25; shift >= 0; shift -= 5) out += kAlphabet[sum >> shift & 31];
  return out;
}

}  // namespace graspd::nostr::bech32
