// The tags of one event: rows of strings, kept in one buffer because most events have many
// short ones.
//
//   for (Tag tag : event.tags) if (tag.name() == "p") use(tag.value());
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graspd::nostr {

class Tags;

// A view of one row; valid while its Tags lives and is not changed.
class Tag {
 public:
  std::size_t size() const { return last_ - first_; }
  std::string_view operator[](std::size_t index) const;  // CHECKs index < size()
  std::string_view at_or_empty(std::size_t index) const;
  std::string_view name() const { return at_or_empty(0); }
  std::string_view value() const { return at_or_empty(1); }
  // The name of a single-letter tag (a-z, A-Z), which relays index; 0 for other names.
  char letter() const;

 private:
  friend class Tags;
  Tag(const Tags& tags, std::size_t first, std::size_t last)
      : tags_(&tags), first_(first), last_(last) {}
  const Tags* tags_;
  std::size_t first_, last_;
};

class Tags {
 public:
  Tags() = default;
  Tags(std::initializer_list<std::initializer_list<std::string_view>> rows);

  void begin_row();
  void append(std::string_view item);  // to the row begun last
  void clear();                        // keeps its memory

  std::size_t size() const { return row_starts_.size(); }
  bool empty() const { return row_starts_.empty(); }
  std::size_t item_count() const { return item_ends_.size(); }
  std::size_t text_bytes() const { return text_.size(); }  // of all items together
  Tag operator[](std::size_t index) const;

  // The value of the first tag of this name, if there is one.
  std::optional<std::string_view> first(std::string_view name) const;

  class Iterator {
   public:
    using value_type = Tag;
    using reference = Tag;
    using pointer = void;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;
    Iterator(const Tags& tags, std::size_t index) : tags_(&tags), index_(index) {}
    Tag operator*() const { return (*tags_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const Tags* tags_;
    std::size_t index_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

  bool operator==(const Tags&) const = default;

 private:
  friend class Tag;
  std::string_view item(std::size_t index) const;

  std::string text_;                       // all items, one after the other
  std::vector<std::uint32_t> item_ends_;   // into text_
  std::vector<std::uint32_t> row_starts_;  // into item_ends_
};

}  // namespace graspd::nostr
