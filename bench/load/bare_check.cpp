#include "load/bare_check.h"

#include <numeric>
#include <secp256k1.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>
#include <thread>

#include "core/check.h"
#include "core/hex.h"
#include "load/measure.h"

namespace graspd::load {
namespace {

constexpr std::size_t kSamples = 2'000, kBetweenClocks = 50;

std::string_view member(std::string_view json, std::string_view before, std::size_t size) {
  return json.substr(json.find(before) + before.size(), size);
}

}  // namespace

BareCheck::BareCheck(const Corpus& corpus) {
  for (std::size_t i = 0; i < std::min(kSamples, corpus.size()); ++i) {
    const std::string_view json = corpus.json(i);
    Signed sample;
    CHECK(core::decode_hex(member(json, R"("id":")", 64), sample.id));
    CHECK(core::decode_hex(member(json, R"("pubkey":")", 64), sample.key));
    CHECK(core::decode_hex(member(json, R"("sig":")", 128), sample.signature));
    samples_.push_back(sample);
  }
}

std::size_t BareCheck::check_for(double seconds) const {
  const Deadline deadline(seconds);
  std::size_t done = 0;
  while (done % kBetweenClocks != 0 || !deadline.passed()) {
    const Signed& sample = samples_[done++ % samples_.size()];
    secp256k1_xonly_pubkey key;
    CHECK(secp256k1_xonly_pubkey_parse(secp256k1_context_static, &key, sample.key.data()));
    CHECK(secp256k1_schnorrsig_verify(secp256k1_context_static, sample.signature.data(),
                                      sample.id.data(), sample.id.size(), &key));
  }
  return done;
}

BareRate BareCheck::measure(std::size_t threads, double seconds) const {
  const double wall_begin = wall_seconds(), cpu_begin = own_cpu_seconds();
  std::vector<std::size_t> done(threads);
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < threads; ++i)
      workers.emplace_back([&, i] { done[i] = check_for(seconds); });
  }
  const auto total = static_cast<double>(std::accumulate(done.begin(), done.end(), std::size_t{0}));
  return {total / (wall_seconds() - wall_begin), (own_cpu_seconds() - cpu_begin) / total};
}

}  // namespace graspd::load
