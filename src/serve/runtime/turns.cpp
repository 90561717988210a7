#include "serve/runtime/turns.h"

#include <algorithm>

#include "core/check.h"

namespace graspd::serve {

Party party_of(const core::IpAddress& address) {
  if (address.is_v4()) return address;
  auto bytes = address.bytes();
  std::fill(bytes.begin() + 8, bytes.end(), std::uint8_t{0});
  return core::IpAddress::from_v6(bytes);
}

void Turns::add(const Asker& asker, Job job) {
  parties_.at(asker.party).at(asker.connection).push_back(std::move(job));
}

Turns::Next Turns::take() {
  CHECK(!empty());
  return parties_.take_turn([](const Party& party, auto& connections) {
    return connections.take_turn([&](std::uint64_t connection, std::deque<Job>& jobs) {
      Next next{{party, connection}, std::move(jobs.front())};
      jobs.pop_front();
      return next;
    });
  });
}

}  // namespace graspd::serve
