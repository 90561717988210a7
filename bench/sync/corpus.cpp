// Writes the threads of one repository as signed events, one per line.
//
//   graspd_threads <address of the repository> <events> <newest created_at>
//
// Every hundredth is an issue, the others are comments on one of the issues before.
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "core/rng.h"
#include "nostr/serialize.h"
#include "nostr/signature.h"

namespace {

using namespace graspd;

constexpr std::uint64_t kSeed = 4711;
constexpr std::size_t kAuthors = 100, kCommentsPerIssue = 99;

nostr::Keypair keypair(core::Rng& rng) {
  nostr::SecretKey::Bytes bytes{};
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(rng.next() >> 8);
  return *nostr::Keypair::from(nostr::SecretKey(bytes));
}

std::string prose(core::Rng& rng) {
  std::string text;
  const std::uint64_t words = 20 + rng.below(80);
  for (std::uint64_t i = 0; i < words; ++i) text += "word" + std::to_string(rng.below(1000)) + ' ';
  return text;
}

class Threads {
 public:
  explicit Threads(std::string address) : address_(std::move(address)), rng_(kSeed) {
    for (std::size_t i = 0; i < kAuthors; ++i) authors_.push_back(keypair(rng_));
  }
  nostr::Event event(std::size_t number, core::UnixSeconds created_at) {
    nostr::Event event;
    event.created_at = created_at;
    event.content = prose(rng_);
    const bool is_issue = number % (kCommentsPerIssue + 1) == 0;
    event.kind = {static_cast<std::uint16_t>(is_issue ? 1621 : 1111)};
    if (is_issue) {
      event.tags = {{"a", address_}, {"subject", "number " + std::to_string(number)}};
    } else {
      const std::string issue = issues_[rng_.below(issues_.size())];
      event.tags = {{"A", address_}, {"E", issue}, {"K", "1621"}, {"e", issue}, {"k", "1621"}};
    }
    authors_[rng_.below(authors_.size())].sign(event, {});
    if (is_issue) issues_.push_back(event.id.hex());
    return event;
  }

 private:
  const std::string address_;
  core::Rng rng_;
  std::vector<nostr::Keypair> authors_;
  std::vector<std::string> issues_;
};

long long number(std::string_view text) {
  long long value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: graspd_threads <address> <events> <newest>\n", stderr);
    return 2;
  }
  Threads threads(argv[1]);
  const long long count = number(argv[2]), newest = number(argv[3]);
  for (long long i = 0; i < count; ++i) {
    const core::UnixSeconds created_at = newest - (count - i) * 10;
    const std::string line =
        nostr::to_json(threads.event(static_cast<std::size_t>(i), created_at)) + '\n';
    std::fwrite(line.data(), 1, line.size(), stdout);
  }
  return 0;
}
