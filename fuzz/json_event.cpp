// What reads as an event is written as the same event, and its id is judged the same both ways.
#include "core/check.h"
#include "nostr/json.h"
#include "nostr/serialize.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graspd::nostr;
  static JsonReader reader;
  auto event = reader.event({reinterpret_cast<const char*>(data), size});
  if (!event) return 0;

  const std::string json = to_json(*event);
  const auto back = reader.event(json);
  CHECK(back);
  CHECK(*back == *event);
  CHECK(to_json(*back) == json);

  CHECK(id_is_right(*event) == to_json_if_id_is_right(*event).has_value());
  event->id = compute_id(*event);
  CHECK(to_json_if_id_is_right(*event) == to_json(*event));
  return 0;
}
