#include "serve/turns.h"

#include <algorithm>

#include "core/check.h"

namespace graspd::serve {

Party party_of(const core::IpAddress& address) {
  if (address.is_v4()) return address;
  auto bytes = address.bytes();
  std::fill(bytes.begin() + 8, bytes.end(), std::uint8_t{0});
  return core::IpAddress::from_v6(bytes);
}

void Turns::add(const Party& party, Job job) {
  auto [found, is_new] = jobs_.try_emplace(party);
  found->second.push_back(std::move(job));
  if (is_new) parties_.push_back(party);
}

Turns::Next Turns::take() {
  CHECK(!empty());
  const Party party = parties_.front();
  parties_.pop_front();
  auto found = jobs_.find(party);
  Next next{party, std::move(found->second.front())};
  found->second.pop_front();
  if (found->second.empty())
    jobs_.erase(found);
  else
    parties_.push_back(party);
  return next;
}

}  // namespace graspd::serve
