// Every message is either understood or refused with something that can be said to the client;
// filters that are understood are normal; published events come back from their wire form.
#include "core/check.h"
#include "nostr/json.h"
#include "nostr/serialize.h"

namespace graspd::nostr {
namespace {

JsonReader reader;

void check(const Filter& filter) {
  Filter normal = filter;
  normalise(normal);
  CHECK(normal == filter);
}

void check(const Event& event) {
  const auto again = reader.client_message("[\"EVENT\"," + to_json(event) + "]");
  CHECK(again && std::get_if<client::Publish>(&*again)->event == event);
}

void check(const std::vector<Filter>& filters) {
  CHECK(!filters.empty());
  for (const Filter& filter : filters) check(filter);
}

struct Checker {
  void operator()(const client::Publish& m) { check(m.event); }
  void operator()(const client::Authenticate& m) { check(m.event); }
  void operator()(const client::Request& m) { check(m.filters); }
  void operator()(const client::Count& m) {
    check(m.filters);
    CHECK(!m.hll_offset || (*m.hll_offset >= 8 && *m.hll_offset < 24));
  }
  void operator()(const client::Close& m) { CHECK(!m.subscription.empty()); }
  void operator()(const client::NegOpen& m) {
    CHECK(!m.message.empty());
    check(m.filter);
  }
  void operator()(const client::NegMessage& m) { CHECK(!m.message.empty()); }
  void operator()(const client::NegClose& m) { CHECK(!m.subscription.empty()); }
};

void check(const BadMessage& bad) {
  const bool is_prefixed =
      bad.reason.starts_with("invalid: ") || bad.reason.starts_with("unsupported: ");
  CHECK(is_prefixed && bad.reason.size() < 128);
  CHECK((bad.reply == BadMessage::Reply::Notice) == bad.about.empty());
}

}  // namespace
}  // namespace graspd::nostr

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graspd::nostr;
  const auto message = reader.client_message({reinterpret_cast<const char*>(data), size});
  if (message) {
    std::visit(Checker(), *message);
  } else {
    check(message.error());
  }
  return 0;
}
