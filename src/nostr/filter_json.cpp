#include "nostr/filter_json.h"

#include <string_view>

#include "nostr/serialize.h"

namespace graspd::nostr {
namespace {

// The members of one object or the elements of one list, with commas between them.
class Sequence {
 public:
  Sequence(std::string& out, char open, char close) : out_(out), close_(close) { out_ += open; }
  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;
  ~Sequence() { out_ += close_; }

  std::string& next() {
    if (!first_) out_ += ',';
    first_ = false;
    return out_;
  }
  std::string& member(std::string_view name) {
    append_json_string(next(), name);
    return out_ += ':';
  }

 private:
  std::string& out_;
  const char close_;
  bool first_ = true;
};

void append_hex_list(std::string& out, const auto& values) {
  Sequence list(out, '[', ']');
  for (const auto& value : values) ((list.next() += '"') += value.hex()) += '"';
}

}  // namespace

void append_json(std::string& out, const Filter& filter) {
  Sequence members(out, '{', '}');
  if (filter.ids) append_hex_list(members.member("ids"), *filter.ids);
  if (filter.authors) append_hex_list(members.member("authors"), *filter.authors);
  if (filter.kinds) {
    Sequence list(members.member("kinds"), '[', ']');
    for (const Kind kind : *filter.kinds) list.next() += std::to_string(kind.value);
  }
  for (const TagCondition& tag : filter.tags) {
    Sequence list(members.member(std::string("#") + tag.letter), '[', ']');
    for (const std::string& value : tag.values) append_json_string(list.next(), value);
  }
  if (filter.since) members.member("since") += std::to_string(*filter.since);
  if (filter.until) members.member("until") += std::to_string(*filter.until);
  if (filter.limit) members.member("limit") += std::to_string(*filter.limit);
}

std::string to_json(const Filter& filter) {
  std::string out;
  append_json(out, filter);
  return out;
}

}  // namespace graspd::nostr
