#include "load/corpus_event.h"

#include <array>
#include <fmt/format.h>

#include "core/check.h"
#include "core/hex.h"
#include "core/rng.h"
#include "core/sha256.h"

namespace graspd::load {
namespace {

constexpr core::UnixSeconds kFirstSecond = 1'700'000'000;
constexpr std::uint64_t kSecondsApart = 50, kDisorderSeconds = 3600;
constexpr std::array<std::string_view, 16> kWords{
    "merge",  "branch", "the",    "parser", "fails",  "when", "push", "with",
    "signed", "server", "remote", "a",      "commit", "and",  "test", "refs"};
constexpr std::size_t kContentWords = 9;

nostr::Keypair keypair_of(std::size_t index) {
  const core::Sha256 secret = core::sha256(fmt::format("graspd load author {}", index));
  const std::optional<nostr::Keypair> keypair = nostr::Keypair::from(nostr::SecretKey(secret));
  CHECK(keypair);
  return *keypair;
}

std::string random_id(core::Rng& rng) {
  std::array<std::uint8_t, 32> bytes;
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(rng.next());
  return core::encode_hex(bytes);
}

std::string sentence(core::Rng& rng) {
  std::string text;
  for (std::size_t i = 0; i < kContentWords; ++i)
    text.append(kWords[rng.below(kWords.size())]).append(i + 1 < kContentWords ? " " : ".");
  return text;
}

// Half are comments, the rest issues and patches.
void choose_kind(nostr::Event& event, core::Rng& rng) {
  switch (rng.below(4)) {
    case 0:
      event.kind = {1621};
      event.tags.begin_row();
      event.tags.append("subject");
      event.tags.append("push fails");
      return;
    case 1:
      event.kind = {1617};
      event.tags.begin_row();
      event.tags.append("t");
      event.tags.append("root");
      return;
    default:
      event.kind = {1111};
      event.tags.begin_row();
      event.tags.append("k");
      event.tags.append("1621");
  }
}

}  // namespace

World::World() {
  for (std::size_t i = 0; i < kAuthors; ++i) authors_.push_back(keypair_of(i));
  for (std::size_t i = 0; i < kRepositories; ++i)
    repositories_.push_back(
        fmt::format("30617:{}:project-{:03}", authors_[i].public_key().hex(), i));
}

nostr::Event World::event(std::uint64_t number) const {
  core::Rng rng(core::Rng(number).next());
  const std::size_t repository = rng.below(kRepositories);
  nostr::Event event;
  event.created_at = kFirstSecond + static_cast<core::UnixSeconds>(number * kSecondsApart +
                                                                   rng.below(kDisorderSeconds));
  event.tags = nostr::Tags{{"a", repositories_[repository]},
                           {"p", authors_[repository].public_key().hex()},
                           {"e", random_id(rng)}};
  choose_kind(event, rng);
  event.content = sentence(rng);
  authors_[rng.below(kAuthors)].sign(event, {});
  return event;
}

}  // namespace graspd::load
