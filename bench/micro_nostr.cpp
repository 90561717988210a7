// What one event costs on its way through the codec.
#include <benchmark/benchmark.h>
#include <string>

#include "nostr/json.h"
#include "nostr/serialize.h"

namespace graspd::nostr {
namespace {

// A reply as clients write it: with its JSON about 600 bytes when `content_bytes` is 100.
Event sample(std::size_t content_bytes) {
  Event event;
  event.pubkey = PublicKey(PublicKey::Bytes{0x79, 0xbe});
  event.created_at = 1'700'000'000;
  event.kind = Kind{1};
  event.tags = {{"e", std::string(64, 'a'), "wss://relay.example.com"}, {"t", "nostr"}};
  while (event.content.size() < content_bytes) event.content += "Ten bytes\n";
  event.id = compute_id(event);
  return event;
}

std::string message(const Event& event) { return "[\"EVENT\"," + to_json(event) + "]"; }

void set_size(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
  state.counters["bytes"] = static_cast<double>(bytes);
}

void parse_event_message(benchmark::State& state) {
  const std::string text = message(sample(static_cast<std::size_t>(state.range(0))));
  JsonReader reader;
  for (auto _ : state) benchmark::DoNotOptimize(reader.client_message(text));
  set_size(state, text.size());
}
BENCHMARK(parse_event_message)->Arg(100)->Arg(1'000)->Arg(60'000);

void parse_req_message(benchmark::State& state) {
  const std::string key(64, 'b');
  const std::string text = R"(["REQ","sub-1",{"kinds":[1,7,30617],"authors":[")" + key + "\",\"" +
                           key + R"("],"#t":["nostr"],"since":1700000000,"limit":500}])";
  JsonReader reader;
  for (auto _ : state) benchmark::DoNotOptimize(reader.client_message(text));
  set_size(state, text.size());
}
BENCHMARK(parse_req_message);

void refuse_event_message(benchmark::State& state) {
  std::string text = message(sample(100));
  text.replace(text.find("\"kind\":1"), 8, "\"kind\":x");
  JsonReader reader;
  for (auto _ : state) benchmark::DoNotOptimize(reader.client_message(text));
}
BENCHMARK(refuse_event_message);

void compute_id(benchmark::State& state) {
  const Event event = sample(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(nostr::compute_id(event));
}
BENCHMARK(compute_id)->Arg(100)->Arg(1'000)->Arg(60'000);

void wire_form(benchmark::State& state) {
  const Event event = sample(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(to_json(event));
  set_size(state, to_json(event).size());
}
BENCHMARK(wire_form)->Arg(100)->Arg(1'000)->Arg(60'000);

void wire_form_and_id_check(benchmark::State& state) {
  const Event event = sample(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(to_json_if_id_is_right(event));
}
BENCHMARK(wire_form_and_id_check)->Arg(100)->Arg(1'000)->Arg(60'000);

void match_filter(benchmark::State& state) {
  const Event event = sample(100);
  Filter filter;
  filter.kinds = {Kind{1}, Kind{7}};
  filter.authors.emplace();
  for (int i = 0; i < state.range(0); ++i) {
    filter.authors->push_back(PublicKey(PublicKey::Bytes{static_cast<std::uint8_t>(i)}));
  }
  filter.authors->push_back(event.pubkey);
  filter.tags = {{'t', {"git", "nostr"}}};
  normalise(filter);
  for (auto _ : state) benchmark::DoNotOptimize(filter.matches(event));
}
BENCHMARK(match_filter)->Arg(1)->Arg(200);

void append_event_message(benchmark::State& state) {
  const std::string json = to_json(sample(100));
  std::string out;
  for (auto _ : state) {
    out.clear();
    relay_says::append_event(out, "subscription-1", json);
    benchmark::DoNotOptimize(out);
  }
}
BENCHMARK(append_event_message);

}  // namespace
}  // namespace graspd::nostr
