// Writes events as ngit-grasp does, for tests: a FlatBuffer, front to back.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "nostr/event.h"

namespace graspd::nostr::testing {

class FlatWriter {
 public:
  static std::vector<std::uint8_t> event(const Event& event) { return FlatWriter().write(event); }

 private:
  using Bytes = std::vector<std::uint8_t>;

  template <class T>
  void put(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bytes_.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * i)));
  }
  std::size_t hole() {  // for an offset that is known later
    put<std::uint32_t>(0);
    return bytes_.size() - 4;
  }
  void fill(std::size_t at) {  // leads to here
    const auto offset = static_cast<std::uint32_t>(bytes_.size() - at);
    for (std::size_t i = 0; i < 4; ++i) bytes_[at + i] = static_cast<std::uint8_t>(offset >> 8 * i);
  }
  void put_string(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    bytes_.push_back(0);
  }
  template <class Fixed>
  void put_fixed(const Fixed& value) {
    bytes_.insert(bytes_.end(), value.bytes().begin(), value.bytes().end());
  }

  void put_tag(Tag tag) {
    // vtable, then the table: where the vtable is, and the field
    for (const std::uint16_t entry : {6, 8, 4}) put(entry);
    fill(tag_hole_);
    put<std::uint32_t>(6);
    const std::size_t items = hole();
    fill(items);
    put(static_cast<std::uint32_t>(tag.size()));
    std::vector<std::size_t> holes;
    for (std::size_t i = 0; i < tag.size(); ++i) holes.push_back(hole());
    for (std::size_t i = 0; i < tag.size(); ++i) {
      fill(holes[i]);
      put_string(tag[i]);
    }
  }

  Bytes write(const Event& event) {
    const std::size_t root = hole();
    const std::uint16_t vtable[] = {18, 156, 4, 36, 68, 76, 84, 88, 92};
    for (const std::uint16_t entry : vtable) put(entry);
    fill(root);
    put<std::uint32_t>(18);
    put_fixed(event.id);
    put_fixed(event.pubkey);
    put(static_cast<std::uint64_t>(event.created_at));
    put(std::uint64_t{event.kind.value});
    const std::size_t tags = hole();
    const std::size_t content = hole();
    put_fixed(event.sig);
    fill(tags);
    put(static_cast<std::uint32_t>(event.tags.size()));
    std::vector<std::size_t> holes;
    for (std::size_t i = 0; i < event.tags.size(); ++i) holes.push_back(hole());
    for (std::size_t i = 0; i < event.tags.size(); ++i) {
      tag_hole_ = holes[i];
      put_tag(event.tags[i]);
    }
    fill(content);
    put_string(event.content);
    return std::move(bytes_);
  }

  Bytes bytes_;
  std::size_t tag_hole_ = 0;
};

}  // namespace graspd::nostr::testing
