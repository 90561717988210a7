#include "nostr/tags.h"

#include <limits>

#include "core/check.h"

namespace graspd::nostr {

std::string_view Tag::operator[](std::size_t index) const {
  CHECK(index < size());
  return tags_->item(first_ + index);
}

std::string_view Tag::at_or_empty(std::size_t index) const {
  return index < size() ? tags_->item(first_ + index) : std::string_view();
}

char Tag::letter() const {
  const std::string_view text = name();
  if (text.size() != 1) return 0;
  const char c = text[0];
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? c : '\0';
}

Tags::Tags(std::initializer_list<std::initializer_list<std::string_view>> rows) {
  for (const auto& row : rows) {
    begin_row();
    for (const std::string_view item : row) append(item);
  }
}

void Tags::begin_row() { row_starts_.push_back(static_cast<std::uint32_t>(item_ends_.size())); }

void Tags::append(std::string_view item) {
  CHECK(!row_starts_.empty());
  text_.append(item);
  CHECK(text_.size() <= std::numeric_limits<std::uint32_t>::max());
  item_ends_.push_back(static_cast<std::uint32_t>(text_.size()));
}

void Tags::clear() {
  text_.clear();
  item_ends_.clear();
  row_starts_.clear();
}

Tag Tags::operator[](std::size_t index) const {
  CHECK(index < size());
  const bool is_last = index + 1 == size();
  return {*this, row_starts_[index], is_last ? item_ends_.size() : row_starts_[index + 1]};
}

std::optional<std::string_view> Tags::first(std::string_view name) const {
  for (const Tag tag : *this) {
    if (tag.size() > 0 && tag.name() == name) return tag.value();
  }
  return std::nullopt;
}

std::string_view Tags::item(std::size_t index) const {
  const std::size_t begin = index == 0 ? 0 : item_ends_[index - 1];
  return std::string_view(text_).substr(begin, item_ends_[index] - begin);
}

}  // namespace graspd::nostr
