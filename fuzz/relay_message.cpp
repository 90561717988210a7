// What a relay says is understood or refused; what is understood comes back from its wire form.
#include "core/check.h"
#include "nostr/json.h"
#include "nostr/serialize.h"

namespace graspd::nostr {
namespace {

JsonReader reader;

template <class T>
T again(const std::string& text) {
  const auto message = reader.relay_message(text);
  CHECK(message && std::holds_alternative<T>(*message));
  return std::get<T>(*message);
}

struct Checker {
  void operator()(const relay_said::Matching& m) {
    const auto copy =
        again<relay_said::Matching>(relay_says::event(m.subscription, to_json(m.event)));
    CHECK(copy.subscription == m.subscription && copy.event == m.event);
  }
  void operator()(const relay_said::Ok& m) {
    const auto copy = again<relay_said::Ok>(relay_says::ok(m.id, m.accepted, m.text));
    CHECK(copy.id == m.id && copy.accepted == m.accepted && copy.text == m.text);
  }
  void operator()(const relay_said::EndOfStored& m) {
    const auto copy =
        again<relay_said::EndOfStored>(relay_says::eose(m.subscription, m.completeness));
    CHECK(copy.subscription == m.subscription && copy.completeness == m.completeness);
  }
  void operator()(const relay_said::Closed& m) {
    const auto copy = again<relay_said::Closed>(relay_says::closed(m.subscription, m.text));
    CHECK(copy.subscription == m.subscription && copy.text == m.text);
  }
  void operator()(const relay_said::Notice& m) {
    CHECK(again<relay_said::Notice>(relay_says::notice(m.text)).text == m.text);
  }
  void operator()(const relay_said::Challenge& m) {
    CHECK(again<relay_said::Challenge>(relay_says::auth(m.text)).text == m.text);
  }
  void operator()(const relay_said::NegMessage& m) {
    const auto copy =
        again<relay_said::NegMessage>(relay_says::neg_message(m.subscription, m.message));
    CHECK(copy.subscription == m.subscription && copy.message == m.message);
  }
  void operator()(const relay_said::NegError& m) {
    const auto copy =
        again<relay_said::NegError>(relay_says::neg_error(m.subscription, m.text, std::nullopt));
    CHECK(copy.subscription == m.subscription && copy.text == m.text);
  }
  void operator()(const relay_said::Unknown&) {}
};

}  // namespace
}  // namespace graspd::nostr

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graspd::nostr;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  if (const auto message = reader.relay_message(text)) std::visit(Checker(), *message);
  static_cast<void>(reader.draft(text));
  return 0;
}
