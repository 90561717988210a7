#include "git/fingerprint.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>

#include "core/sha256.h"

namespace graspd::git {
namespace {

std::optional<std::uint64_t> take_number(std::string_view& text) {
  const auto end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  std::uint64_t number = 0;
  const char* const stop = word.data() + word.size();
  const auto [at, error] = std::from_chars(word.data(), stop, number, 16);
  return error == std::errc() && at == stop ? std::optional(number) : std::nullopt;
}

}  // namespace

bool Fingerprint::still_holds(const Fingerprint& older) const {
  return origin == older.origin && refs == older.refs && std::ranges::includes(packs, older.packs);
}

std::uint64_t number_of(std::string_view text) {
  const core::Sha256 hash = core::sha256(text);
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof(number); ++i) number = number << 8 | hash[i];
  return number;
}

std::uint64_t number_of(const Refs& refs) {
  std::string text;
  for (const auto& [ref, oid] : refs)
    fmt::format_to(std::back_inserter(text), "{} {}\n", ref.text(), oid.hex());
  return number_of(text);
}

std::vector<std::uint64_t> numbers_of_packs(std::vector<std::uint64_t> packs) {
  std::ranges::sort(packs);
  if (packs.size() <= kPacksInFingerprint) return packs;
  std::string text;
  for (const std::uint64_t pack : packs) fmt::format_to(std::back_inserter(text), "{:x}\n", pack);
  return {number_of(text)};
}

std::string to_text(const Fingerprint& fingerprint) {
  std::string text = fmt::format("{:x} {:x}", fingerprint.origin, fingerprint.refs);
  for (const std::uint64_t pack : fingerprint.packs)
    fmt::format_to(std::back_inserter(text), " {:x}", pack);
  return text;
}

std::optional<Fingerprint> parse_fingerprint(std::string_view text) {
  const auto origin = take_number(text), refs = take_number(text);
  if (!origin || !refs) return std::nullopt;
  Fingerprint fingerprint{*origin, *refs, {}};
  while (!text.empty()) {
    const auto pack = take_number(text);
    if (!pack) return std::nullopt;
    fingerprint.packs.push_back(*pack);
  }
  return std::ranges::is_sorted(fingerprint.packs) ? std::optional(std::move(fingerprint))
                                                   : std::nullopt;
}

}  // namespace graspd::git
