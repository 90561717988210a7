#include "sync/places.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/check.h"
#include "core/ip_address.h"

namespace graspd::sync {
namespace {

std::string host_of(const nostr::RelayUrl& url) {
  const auto address = core::IpAddress::parse(url.host());
  return address ? address->allotment().text() : url.host();
}

}  // namespace

bool Places::is_full(const Account& account) const {
  return limits_.per_owner > 0 && account.places >= limits_.per_owner;
}

bool Places::is_full(const std::string& host) const {
  if (limits_.per_host == 0) return false;
  const auto at = hosts_.find(host);
  return at != hosts_.end() && at->second >= limits_.per_host;
}

void Places::add_bootstrap(const Url& url) {
  Relay& relay = relays_[url];
  if (relay.has_place) return;
  CHECK(relay.listed.empty());
  relay.has_place = true;
  ++taken_;
}

void Places::list(RepoId repo, const Owner& owner, const std::vector<Url>& urls) {
  waiting_.reset();
  std::vector<Url> before, gone, come;
  if (const auto at = lists_.find(repo); at != lists_.end()) {
    for (const Url* url : at->second) before.push_back(*url);
  }
  std::set_difference(before.begin(), before.end(), urls.begin(), urls.end(),
                      std::back_inserter(gone));
  std::set_difference(urls.begin(), urls.end(), before.begin(), before.end(),
                      std::back_inserter(come));
  for (const Url& url : come) add(repo, owner, url);
  for (const Url& url : gone) remove(repo, owner, url);
  drop_if_idle(owner);
  while (pairs_ > waiting_max_) forget_one_pair();
}

void Places::add(RepoId repo, const Owner& owner, const Url& url) {
  const auto [at, is_new] = relays_.try_emplace(url);
  Relay& relay = at->second;
  if (is_new) {
    relay.host = host_of(url);
    fresh_.push_back(url);
  }
  std::vector<const Url*>& list = lists_[repo];
  const auto less = [](const Url* a, const Url* b) { return *a < *b; };
  list.insert(std::upper_bound(list.begin(), list.end(), &at->first, less), &at->first);
  std::set<RepoId>& repos = relay.listed[owner];
  const std::size_t before = repos.size();
  repos.insert(repo);
  if (relay.has_place)
    recharge(relay);
  else
    wait(owner, *at, before);
}

void Places::remove(RepoId repo, const Owner& owner, const Url& url) {
  const auto at = relays_.find(url);
  Relay& relay = at->second;
  auto list = lists_.find(repo);
  std::erase(list->second, &at->first);
  if (list->second.empty()) lists_.erase(list);
  std::set<RepoId>& repos = relay.listed.at(owner);
  const std::size_t before = repos.size();
  repos.erase(repo);
  if (!relay.has_place) wait(owner, *at, before);
  if (repos.empty()) relay.listed.erase(owner);
  if (relay.has_place)
    recharge(relay);
  else if (relay.listed.empty())
    relays_.erase(at);
}

// The line of this owner had the relay with so many repositories before.
void Places::wait(const Owner& owner, Relays::value_type& relay, std::size_t before) {
  const std::size_t after = relay.second.listed.at(owner).size();
  Account& account = accounts_[owner];
  if (before > 0) account.line.erase({before, &relay.first});
  if (after > 0) account.line.insert({after, &relay.first});
  count_pairs(owner, before, after);
  changed_.insert(owner);
}

void Places::count_pairs(const Owner& owner, std::size_t before, std::size_t after) {
  Account& account = accounts_.at(owner);
  most_waiting_.erase({account.pairs, owner});
  account.pairs = account.pairs - before + after;
  pairs_ = pairs_ - before + after;
  if (account.pairs > 0) most_waiting_.emplace(account.pairs, owner);
}

void Places::forget_one_pair() {
  const Owner owner = most_waiting_.rbegin()->second;
  const Url url = *accounts_.at(owner).line.rbegin()->url;
  const RepoId repo = *relays_.at(url).listed.at(owner).rbegin();
  remove(repo, owner, url);
  drop_if_idle(owner);
  ++overlooked_;
}

void Places::charge(Relay& relay, std::optional<Owner> owner) {
  if (relay.payer) {
    --accounts_.at(*relay.payer).places;
    changed_.insert(*relay.payer);  // has space again
    drop_if_idle(*relay.payer);
  }
  relay.payer = owner;
  if (owner) ++accounts_[*owner].places;
}

void Places::recharge(Relay& relay) {  // R2
  const bool is_right = !relay.payer || relay.listed.empty() || relay.listed.contains(*relay.payer);
  if (is_right) return;
  const auto places = [this](const Owner& owner) {
    const auto at = accounts_.find(owner);
    return at == accounts_.end() ? 0 : at->second.places;
  };
  const auto fewest = std::min_element(
      relay.listed.begin(), relay.listed.end(),
      [&](const auto& a, const auto& b) { return places(a.first) < places(b.first); });
  charge(relay, fewest->first);
}

std::vector<Places::Url> Places::give() {
  waiting_.reset();
  std::vector<Url> given;
  std::vector<Turn> left = is_full() ? std::vector<Turn>() : turns();
  while (!left.empty() && !is_full()) {
    std::vector<Turn> next;
    for (Turn& turn : left) {
      if (!is_full() && take_turn(turn, given)) next.push_back(turn);
    }
    left = std::move(next);
  }
  for (const Url& url : std::exchange(fresh_, {})) {
    const auto at = relays_.find(url);
    refused_ += at != relays_.end() && !at->second.has_place ? 1 : 0;
  }
  freed_ = false;
  changed_.clear();
  return given;
}

// Who may get a place, beginning after the one who got the last.
std::vector<Places::Turn> Places::turns() const {
  std::vector<Turn> out;
  if (freed_) {
    for (const auto& [pairs, owner] : most_waiting_) out.push_back({owner, {}});
    std::sort(out.begin(), out.end(),
              [](const Turn& a, const Turn& b) { return a.owner < b.owner; });
  } else {
    for (const Owner& owner : changed_) out.push_back({owner, {}});
  }
  const auto next = std::find_if(out.begin(), out.end(), [&](const Turn& turn) {
    return last_turn_ && *last_turn_ < turn.owner;
  });
  std::rotate(out.begin(), next, out.end());
  return out;
}

// False: there is nothing more for this owner.
bool Places::take_turn(Turn& turn, std::vector<Url>& given) {
  const auto account = accounts_.find(turn.owner);
  if (account == accounts_.end() || is_full(account->second)) return false;
  const std::set<Waiting>& line = account->second.line;
  auto at = turn.seen ? line.upper_bound(*turn.seen) : line.begin();
  while (at != line.end() && is_full(relays_.at(*at->url).host)) ++at;
  if (at == line.end()) return false;
  turn.seen = *at;
  last_turn_ = turn.owner;
  auto& relay = *relays_.find(*at->url);
  grant(relay, turn.owner);
  given.push_back(relay.first);
  return true;
}

void Places::grant(Relays::value_type& relay, const Owner& owner) {
  relay.second.has_place = true;
  ++taken_;
  ++hosts_[relay.second.host];
  charge(relay.second, owner);
  for (const auto& [lister, repos] : relay.second.listed) {
    accounts_.at(lister).line.erase({repos.size(), &relay.first});
    count_pairs(lister, repos.size(), 0);
    drop_if_idle(lister);
  }
}

void Places::leave(const Url& url) {
  waiting_.reset();
  const auto at = relays_.find(url);
  if (at == relays_.end() || !at->second.has_place) return;
  Relay& relay = at->second;
  const bool is_bootstrap = !relay.payer;
  relay.has_place = false;
  charge(relay, std::nullopt);
  --taken_;
  freed_ = true;
  if (!is_bootstrap && --hosts_.at(relay.host) == 0) hosts_.erase(relay.host);
  relay.host = host_of(url);
  for (const auto& [owner, repos] : relay.listed) wait(owner, *at, 0);
  if (relay.listed.empty()) relays_.erase(at);
}

void Places::drop_if_idle(const Owner& owner) {
  const auto at = accounts_.find(owner);
  if (at != accounts_.end() && at->second.places == 0 && at->second.line.empty())
    accounts_.erase(at);
}

bool Places::has_place(const Url& url) const {
  const auto at = relays_.find(url);
  return at != relays_.end() && at->second.has_place;
}

std::vector<RepoId> Places::listed_by(const Url& url) const {
  std::vector<RepoId> out;
  const auto at = relays_.find(url);
  if (at == relays_.end()) return out;
  for (const auto& [owner, repos] : at->second.listed)
    out.insert(out.end(), repos.begin(), repos.end());
  return out;
}

const WaitingRelays& Places::waiting() const {
  if (waiting_) return *waiting_;
  waiting_ = WaitingRelays{.overlooked = overlooked_};
  if (pairs_ == 0) return *waiting_;
  for (const auto& [url, relay] : relays_) {
    if (relay.has_place) continue;
    const bool owners_full =
        std::all_of(relay.listed.begin(), relay.listed.end(),
                    [this](const auto& one) { return is_full(accounts_.at(one.first)); });
    ++(is_full(relay.host) ? waiting_->for_host
       : owners_full       ? waiting_->for_owner
                           : waiting_->for_any);
  }
  return *waiting_;
}

void Places::check_invariants() const {
  std::map<Owner, std::size_t> places, pairs;
  std::map<std::string, std::size_t> hosts;
  std::size_t taken = 0;
  for (const auto& [url, relay] : relays_) {
    CHECK(relay.has_place || !relay.listed.empty());
    taken += relay.has_place ? 1 : 0;
    if (relay.payer) ++places[*relay.payer], ++hosts[relay.host];
    for (const auto& [owner, repos] : relay.listed) {
      CHECK(!repos.empty());
      if (!relay.has_place) pairs[owner] += repos.size();
      const auto account = accounts_.find(owner);
      const bool waits =
          account != accounts_.end() && account->second.line.contains({repos.size(), &url});
      CHECK(waits == !relay.has_place);
    }
  }
  CHECK(taken == taken_ && hosts == hosts_);
  for (const auto& [owner, account] : accounts_) {
    CHECK(account.places == places[owner] && account.pairs == pairs[owner]);
    CHECK(account.places > 0 || !account.line.empty());
  }
}

}  // namespace graspd::sync
