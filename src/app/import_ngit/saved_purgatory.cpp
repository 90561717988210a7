#include "app/import_ngit/saved_purgatory.h"

#include <algorithm>

#include "nostr/json_reading.h"

namespace graspd::app {
namespace {

using nostr::Event;
using namespace nostr::json;

// Deeper than the files are; the events within are read by their own rules.
constexpr unsigned kDepthMax = 8;

// The files group their entries by what waits: an entry is any object with a member `event`.
class SavedReader {
 public:
  SavedReader(Reading& reading, SavedPurgatory& out) : reading_(reading), out_(out) {}

  bool members(ondemand::object& object, unsigned depth_left) {
    std::optional<Event> event;
    SavedPurgatory::Entry entry;
    for (auto member : object) {
      ondemand::field field;
      if (std::move(member).get(field)) return reading_.refuse(kMalformed);
      const auto key = key_of(reading_, field);
      if (!key) return reading_.refuse(kMalformed);
      const std::string name(*key);
      ondemand::value value = field.value();
      if (!this->member(name, value, depth_left, event, entry)) return false;
    }
    if (event) {
      entry.event = *std::move(event);
      out_.entries.push_back(std::move(entry));
    }
    return true;
  }

 private:
  bool member(std::string_view name, ondemand::value& value, unsigned depth_left,
              std::optional<Event>& event, SavedPurgatory::Entry& entry) {
    if (name == "event" && is(value, ondemand::json_type::object))
      return read_event(reading_, value, event.emplace());
    if (name == "expires_at_offset_secs") return number(value, entry.expires_in);
    if (name == "secs_since_epoch" && depth_left == kDepthMax - 1 && in_saved_at_)
      return saved_at(value);
    if (name == "source" && is(value, ondemand::json_type::string)) {
      const auto text = string_of(reading_, value);
      entry.synced = text == "Sync";
      return text ? true : reading_.refuse(kMalformed);
    }
    if (depth_left == kDepthMax) in_saved_at_ = name == "saved_at";
    return walk(value, depth_left);
  }

  bool walk(ondemand::value& value, unsigned depth_left) {
    if (depth_left == 0) return reading_.refuse(kMalformed);
    ondemand::object object;
    if (is(value, ondemand::json_type::object)) {
      if (value.get_object().get(object)) return reading_.refuse(kMalformed);
      return members(object, depth_left - 1);
    }
    ondemand::array array;
    if (!is(value, ondemand::json_type::array)) return skip(reading_, value, depth_left);
    if (value.get_array().get(array)) return reading_.refuse(kMalformed);
    for (auto element : array) {
      ondemand::value inner;
      if (element.get(inner)) return reading_.refuse(kMalformed);
      if (!walk(inner, depth_left - 1)) return false;
    }
    return true;
  }

  static bool is(ondemand::value& value, ondemand::json_type wanted) {
    ondemand::json_type type;
    return !value.type().get(type) && type == wanted;
  }
  bool number(ondemand::value& value, std::uint64_t& out) {
    if (!is(value, ondemand::json_type::number)) return skip(reading_, value, kDepthMax);
    const auto integer = integer_of(value);
    if (integer && !integer->negative) out = integer->magnitude;
    return integer ? true : reading_.refuse(kMalformed);
  }
  bool saved_at(ondemand::value& value) {
    std::uint64_t seconds = 0;
    if (!number(value, seconds)) return false;
    constexpr std::uint64_t kEndOfTime = std::uint64_t{1} << 40;
    out_.saved_at = static_cast<core::UnixSeconds>(std::min(seconds, kEndOfTime));
    return true;
  }

  Reading& reading_;
  SavedPurgatory& out_;
  bool in_saved_at_ = false;
};

}  // namespace

core::Result<SavedPurgatory, std::string> parse_saved_purgatory(std::string_view text) {
  ondemand::document document;
  ondemand::object members;
  SavedPurgatory saved;
  nostr::JsonReader::Buffers buffers;
  SavedReader reader(buffers.reading, saved);
  const bool understood = buffers.open(text, document) && !document.get_object().get(members) &&
                          reader.members(members, kDepthMax) && at_end(document);
  if (!understood) return core::Failure{std::string("it is not what ngit-grasp writes")};
  return saved;
}

}  // namespace graspd::app
