// An event as it is stored in the database: first the fields that filters use, then the JSON. Pure.
//
//   R1  Matching a filter does not parse the JSON, and an answer copies it.
//   R2  Only the tags that filters can ask for are kept among the fields: single letters with a
//       value.
//   R3  Bytes that do not have this form are rejected; nothing reads past their end.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "lmdb/keys.h"
#include "nostr/filter.h"
#include "nostr/wire_event.h"

namespace graspd::lmdb {

class RecordView {
 public:
  static std::optional<RecordView> parse(Bytes bytes);  // R3

  core::UnixSeconds created_at() const;
  core::UnixSeconds expiration() const;  // 0: never
  nostr::PublicKey pubkey() const;
  nostr::EventId id() const;
  nostr::Kind kind() const;
  std::string_view json() const;

  bool is_expired(core::UnixSeconds now) const { return expiration() != 0 && expiration() <= now; }
  std::string_view identifier() const;
  bool matches(const nostr::Filter& filter) const;

  // Calls `visit(letter, value)` for each; stops when it returns false.
  template <class Visit>
  void for_each_tag(const Visit& visit) const {
    for (Bytes rest = tags(); !rest.empty();) {
      const TagView tag = first_tag(rest);
      if (!visit(tag.letter, tag.value)) return;
      rest = rest.subspan(tag.size);
    }
  }

 private:
  struct TagView {
    char letter;
    std::string_view value;
    std::size_t size;  // in the record
  };
  explicit RecordView(Bytes bytes) : bytes_(bytes) {}
  Bytes tags() const;
  bool tags_are_whole() const;
  bool holds(const nostr::TagCondition& condition) const;
  static TagView first_tag(Bytes rest);

  Bytes bytes_;
};

// Replaces what is in `out`, whose memory is used again.
void encode_record(const nostr::WireEvent& event, std::vector<std::uint8_t>& out);

// Where the event is found; the same for writing, removing and checking.
Entry entry_of(const RecordView& record, store::Serial serial);
std::optional<Key> address_key_of(const RecordView& record);

enum class IndexName { Time, Kind, AuthorKind, Tag };
struct Placement {
  IndexName index;
  Key key;
};
// Replaces what is in `out`: no placement comes twice.
void placements_of(const RecordView& record, std::vector<Placement>& out);

}  // namespace graspd::lmdb
