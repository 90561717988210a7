// One signature check, as the library alone does it and as we do it.
#include <benchmark/benchmark.h>
#include <secp256k1.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>
#include <vector>

#include "core/check.h"
#include "core/rng.h"
#include "nostr/signature.h"

namespace {

using namespace graspd;

nostr::Keypair random_keypair(core::Rng& rng) {
  nostr::SecretKey::Bytes bytes;
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(rng.next());
  return *nostr::Keypair::from(nostr::SecretKey(bytes));
}

// 4096 events, so that no branch predictor learns them, by so many authors in turn.
std::vector<nostr::Event> events_of(std::size_t authors) {
  core::Rng rng(1);
  std::vector<nostr::Keypair> keypairs;
  for (std::size_t i = 0; i < authors; ++i) keypairs.push_back(random_keypair(rng));
  std::vector<nostr::Event> events(4096);
  for (std::size_t i = 0; i < events.size(); ++i) {
    events[i].created_at = static_cast<core::UnixSeconds>(i);
    keypairs[i % authors].sign(events[i], {});
  }
  return events;
}

// Straight library calls: parse the key, verify.
bool library_check(const secp256k1_context* context, const nostr::Event& event) {
  secp256k1_xonly_pubkey point;
  return secp256k1_xonly_pubkey_parse(context, &point, event.pubkey.data()) &&
         secp256k1_schnorrsig_verify(context, event.sig.data(), event.id.data(), 32, &point);
}

void BM_LibraryCheck(benchmark::State& state) {
  const auto events = events_of(static_cast<std::size_t>(state.range(0)));
  secp256k1_context* context = secp256k1_context_create(SECP256K1_CONTEXT_NONE);
  std::size_t i = 0;
  for (auto _ : state) CHECK(library_check(context, events[i++ % events.size()]));
  state.SetItemsProcessed(state.iterations());
  secp256k1_context_destroy(context);
}
BENCHMARK(BM_LibraryCheck)->ArgName("authors")->Arg(1)->Arg(4096);

void BM_SignatureIsRight(benchmark::State& state) {
  const auto events = events_of(static_cast<std::size_t>(state.range(0)));
  std::size_t i = 0;
  for (auto _ : state) CHECK(nostr::signature_is_right(events[i++ % events.size()]));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_SignatureIsRight)->ArgName("authors")->Arg(1)->Arg(100)->Arg(4096);

void BM_Sign(benchmark::State& state) {
  core::Rng rng(2);
  const auto keypair = random_keypair(rng);
  nostr::Event event;
  event.content = "a short note";
  for (auto _ : state) {
    ++event.created_at;
    keypair.sign(event, {});
    benchmark::DoNotOptimize(event.sig);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_Sign);

}  // namespace
