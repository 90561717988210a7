#include "grasp/uploads.h"

#include <algorithm>
#include <map>

namespace graspd::grasp {
namespace {

// Whoever has one address of an IPv6 network has all of them.
core::IpAddress network_of(const core::IpAddress& address) {
  if (address.is_v4()) return address;
  auto bytes = address.bytes();
  std::fill(bytes.begin() + 8, bytes.end(), std::uint8_t{0});
  return core::IpAddress::from_v6(bytes);
}

}  // namespace

Uploads::Pool Uploads::pool(const Upload& newcomer, bool of_the_repo) const {
  Pool pool{limits_.per_repo_max, limits_.bytes_per_repo_max, {}};
  if (!of_the_repo)
    pool = newcomer.in_pr_repository
               ? Pool{limits_.in_pr_repositories_max, limits_.bytes_in_pr_repositories_max, {}}
               : Pool{limits_.max, limits_.bytes_max, {}};
  for (const auto& [token, upload] : uploads_)
    if (upload.in_pr_repository == newcomer.in_pr_repository &&
        (!of_the_repo || upload.repo == newcomer.repo))
      pool.uploads.push_back(&upload);
  return pool;
}

std::optional<std::vector<std::string>> Uploads::making_space(const Upload& newcomer) const {
  std::vector<std::string> gone;
  for (const bool of_the_repo : {true, false})
    if (!make_space_in(pool(newcomer, of_the_repo), newcomer, gone)) return std::nullopt;
  return gone;
}

// An upload weighs its share of the number of them at the least.
bool Uploads::make_space_in(Pool pool, const Upload& newcomer,
                            std::vector<std::string>& gone) const {
  std::erase_if(pool.uploads,
                [&](const Upload* one) { return std::ranges::count(gone, one->token) > 0; });
  if (newcomer.bytes > pool.bytes_max || pool.uploads_max == 0) return false;
  const auto weight = [&](const Upload& one) {
    return std::max<std::uint64_t>(one.bytes, pool.bytes_max / pool.uploads_max);
  };
  for (;;) {
    std::uint64_t bytes = newcomer.bytes;
    std::map<core::IpAddress, std::uint64_t> weights;
    for (const Upload* one : pool.uploads) {
      bytes += one->bytes;
      weights[network_of(one->from)] += weight(*one);
    }
    if (pool.uploads.size() < pool.uploads_max && bytes <= pool.bytes_max) return true;
    const std::uint64_t own = weights[network_of(newcomer.from)] + weight(newcomer);
    const auto most =
        std::ranges::max_element(weights, {}, [](const auto& entry) { return entry.second; });
    if (most->second <= own) return false;
    const auto is_theirs = [&](const Upload* one) { return network_of(one->from) == most->first; };
    const auto first = std::ranges::min_element(pool.uploads, {}, [&](const Upload* one) {
      return std::pair(!is_theirs(one), one->expires);
    });
    gone.push_back((*first)->token);
    pool.uploads.erase(first);
  }
}

void Uploads::put(Upload upload) {
  const std::string token = upload.token;
  take(token);
  by_event_[upload.event].insert(token);
  uploads_.insert_or_assign(token, std::move(upload));
}

std::optional<Upload> Uploads::take(const std::string& token) {
  auto upload = uploads_.take(token);
  if (!upload) return std::nullopt;
  auto& tokens = by_event_[upload->event];
  tokens.erase(token);
  if (tokens.empty()) by_event_.erase(upload->event);
  return upload;
}

std::vector<Upload> Uploads::of(const nostr::EventId& event) const {
  std::vector<Upload> found;
  const auto* tokens = by_event_.find(event);
  if (!tokens) return found;
  for (const std::string& token : *tokens) found.push_back(uploads_.at(token));
  return found;
}

std::vector<Upload> Uploads::into(const Coordinate& repo) const {
  std::vector<Upload> found;
  for (const auto& [token, upload] : uploads_)
    if (upload.repo == repo && !upload.in_pr_repository) found.push_back(upload);
  return found;
}

std::vector<Upload> Uploads::due(core::UnixSeconds now) const {
  std::vector<Upload> found;
  for (const auto& [token, upload] : uploads_)
    if (upload.expires <= now) found.push_back(upload);
  return found;
}

std::set<std::string> Uploads::tokens() const {
  std::set<std::string> tokens;
  for (const auto& [token, upload] : uploads_) tokens.insert(token);
  return tokens;
}

std::vector<Upload> Uploads::all() const {
  std::vector<Upload> all;
  for (const auto& [token, upload] : uploads_) all.push_back(upload);
  return all;
}

}  // namespace graspd::grasp
