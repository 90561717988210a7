// What git says of a remote is understood the same whole and byte by byte, whatever the remote put
// into it; only wants are ever taken as refused. A URL that is accepted is its own spelling.
#include "git/fetch_talk.h"

#include <cstdint>
#include <string_view>

#include "core/check.h"
#include "git/fetch_url.h"

namespace graspd::git {
namespace {

const Oid kWant = *Oid::parse("1111111111111111111111111111111111111111");

void check_talk(std::string_view text) {
  FetchTalk whole({kWant}), slow({kWant});
  whole.add(text);
  for (const char& byte : text) slow.add({&byte, 1});
  whole.end();
  slow.end();
  CHECK(whole.refused() == slow.refused());
  CHECK(whole.refused().empty() || *whole.refused().begin() == kWant);
  for (const bool is_tls : {false, true}) {
    const FetchError error = whole.conclude(is_tls, true);
    CHECK(error.failure == slow.conclude(is_tls, true).failure);
    CHECK(error.text.size() <= 1000);
  }
}

void check_url(std::string_view text) {
  const auto url = FetchUrl::parse(text);
  if (!url) return;
  const auto again = FetchUrl::parse(url->text());
  CHECK(again && again->text() == url->text());
  CHECK(again->host() == url->host() && again->port() == url->port());
  CHECK(url->text().starts_with("http"));
  CHECK(url->text().find_first_of(" \t\r\n\\\"@?#") == std::string_view::npos ||
        url->text().find('@') > url->text().find('/', 8));
}

}  // namespace
}  // namespace graspd::git

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  graspd::git::check_talk(text);
  graspd::git::check_url(text);
  return 0;
}
