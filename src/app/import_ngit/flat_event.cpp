#include "app/import_ngit/flat_event.h"

#include <limits>

namespace graspd::nostr {
namespace {

using Bytes = std::span<const std::uint8_t>;
using Position = std::uint64_t;  // never overflows: it is the sum of a few 32-bit numbers

enum Slot : unsigned { kId, kPubkey, kCreatedAt, kKind, kTags, kContent, kSig };
constexpr unsigned kItems = 0;  // of a tag
constexpr std::size_t kOffsetBytes = 4;

class FlatReader {
 public:
  explicit FlatReader(Bytes bytes) : bytes_(bytes), budget_(kSharingMax * bytes.size()) {}

  bool read(Event& out) {
    const auto root = target(0);
    return root && bytes(*root, kId, out.id) && bytes(*root, kPubkey, out.pubkey) &&
           bytes(*root, kSig, out.sig) && times(*root, out) && tags(*root, out.tags) &&
           content(*root, out.content);
  }

 private:
  template <class T>
  std::optional<T> number(Position at) const {
    if (at > bytes_.size() || bytes_.size() - at < sizeof(T)) return std::nullopt;
    T value = 0;
    for (std::size_t i = sizeof(T); i-- > 0;) value = static_cast<T>(value << 8 | bytes_[at + i]);
    return value;
  }

  // Where the offset at `at` leads to.
  std::optional<Position> target(Position at) const {
    const auto offset = number<std::uint32_t>(at);
    if (!offset) return std::nullopt;
    return at + *offset;
  }

  struct Field {
    bool good = false;
    std::optional<Position> at;  // nullopt: it has its default value
  };
  Field field(Position table, unsigned slot) const {
    const auto back = number<std::uint32_t>(table);
    if (!back) return {};
    const auto vtable = static_cast<std::int64_t>(table) - static_cast<std::int32_t>(*back);
    if (vtable < 0) return {};
    const auto begin = static_cast<Position>(vtable);
    const auto size = number<std::uint16_t>(begin);
    if (!size) return {};
    const Position entry = 4 + 2 * Position{slot};
    if (entry + 2 > *size) return {true, std::nullopt};
    const auto offset = number<std::uint16_t>(begin + entry);
    if (!offset) return {};
    if (*offset == 0) return {true, std::nullopt};
    return {true, table + *offset};
  }

  template <class Fixed>
  bool bytes(Position table, Slot slot, Fixed& out) const {
    const auto [good, at] = field(table, slot);
    if (!good || !at || *at > bytes_.size() || bytes_.size() - *at < Fixed::kSize) return false;
    out = Fixed::from_span(bytes_.subspan(*at).template first<Fixed::kSize>());
    return true;
  }

  std::optional<std::uint64_t> scalar(Position table, Slot slot) const {
    const auto [good, at] = field(table, slot);
    if (!good) return std::nullopt;
    return at ? number<std::uint64_t>(*at) : std::optional<std::uint64_t>(0);
  }
  bool times(Position table, Event& out) const {
    const auto created_at = scalar(table, kCreatedAt);
    const auto kind = scalar(table, kKind);
    if (!created_at || *created_at > std::numeric_limits<std::int64_t>::max()) return false;
    if (!kind || *kind > std::numeric_limits<std::uint16_t>::max()) return false;
    out.created_at = static_cast<core::UnixSeconds>(*created_at);
    out.kind = Kind{static_cast<std::uint16_t>(*kind)};
    return true;
  }

  struct Vector {
    Position first = 0;
    std::uint32_t count = 0;
  };
  std::optional<Vector> vector(Position at, std::size_t element_bytes) const {
    const auto begin = target(at);
    const auto count = begin ? number<std::uint32_t>(*begin) : std::nullopt;
    if (!count) return std::nullopt;
    const Position first = *begin + kOffsetBytes;
    if (std::uint64_t{*count} * element_bytes > bytes_.size() - first) return std::nullopt;
    return Vector{first, *count};
  }

  bool spend(std::uint64_t bytes) {  // R3
    if (bytes > budget_) return false;
    budget_ -= bytes;
    return true;
  }

  std::optional<std::string_view> string(Position at) {
    const auto text = vector(at, 1);
    if (!text || !spend(kOffsetBytes + text->count)) return std::nullopt;
    return std::string_view(reinterpret_cast<const char*>(bytes_.data()) + text->first,
                            text->count);
  }

  bool content(Position table, std::string& out) {
    const auto [good, at] = field(table, kContent);
    if (!good || !at) return good;
    const auto text = string(*at);
    if (text) out = *text;
    return text.has_value();
  }

  bool tags(Position table, Tags& out) {
    const auto [good, at] = field(table, kTags);
    if (!good || !at) return good;
    const auto rows = vector(*at, kOffsetBytes);
    for (std::uint32_t i = 0; rows && i < rows->count; ++i) {
      const auto row = target(rows->first + i * kOffsetBytes);
      if (!row || !spend(kOffsetBytes) || !tag(*row, out)) return false;
    }
    return rows.has_value();
  }

  bool tag(Position table, Tags& out) {
    out.begin_row();
    const auto [good, at] = field(table, kItems);
    if (!good || !at) return good;
    const auto items = vector(*at, kOffsetBytes);
    for (std::uint32_t i = 0; items && i < items->count; ++i) {
      const auto text = string(items->first + i * kOffsetBytes);
      if (!text) return false;
      out.append(*text);
    }
    return items.has_value();
  }

  Bytes bytes_;
  std::uint64_t budget_;
};

}  // namespace

std::optional<Event> parse_flat_event(std::span<const std::uint8_t> bytes) {
  Event event;
  if (!FlatReader(bytes).read(event)) return std::nullopt;
  return event;
}

}  // namespace graspd::nostr
