#include "sync/targets.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace graspd::sync {
namespace {

// R2
bool wants(const RepoIndex& index, RelayId relay, RootId root) {
  const auto& repos = index.repos_of(root);
  return std::any_of(repos.begin(), repos.end(), [&](RepoId id) {
    const Repo& repo = index.at(id);
    return repo.level == Level::Full &&
           std::binary_search(repo.relays.begin(), repo.relays.end(), relay);
  });
}

void put(Target& target, RepoId id, const Repo& repo) {
  if (repo.level != Level::Full) {
    target.states.add(id.value);
    return;
  }
  target.repos.add(id.value);
  target.roots |= repo.roots;
}

}  // namespace

void Targets::Slot::gather(std::uint32_t root) {
  constexpr std::size_t kTogether = 256;  // more would only take space
  gathered.push_back(root);
  if (gathered.size() == kTogether) settle();
}

void Targets::Slot::settle() {
  target.roots.add(gathered);
  change.grown.roots.add(gathered);
  gathered.clear();
}

const Target& Targets::of(RelayId relay) const {
  static const Target kNothing;
  if (relay.value >= slots_.size()) return kNothing;
  slots_[relay.value].settle();
  return slots_[relay.value].target;
}

std::map<RelayId, Target> Targets::all() const {
  std::map<RelayId, Target> out;
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    const Target& target = of(RelayId{i});
    if (!target.empty()) out.emplace(RelayId{i}, target);
  }
  return out;
}

std::map<RelayId, Targets::Change> Targets::take_changed() {
  std::map<RelayId, Change> out;
  for (const RelayId relay : std::exchange(changed_, {})) {
    Slot& one = slots_[relay.value];
    one.settle();
    one.is_changed = false;
    out.emplace(relay, std::exchange(one.change, {}));
  }
  return out;
}

Targets::Slot& Targets::changing(RelayId relay) {
  if (relay.value >= slots_.size()) slots_.resize(relay.value + 1);
  Slot& slot = slots_[relay.value];
  if (!slot.is_changed) changed_.push_back(relay);
  slot.is_changed = true;
  return slot;
}

void Targets::leave(const RepoIndex& index, RelayId relay, RepoId id, const Repo& before) {
  Slot& slot = changing(relay);
  slot.settle();
  slot.change.shrank = true;
  slot.target.repos.remove(id.value);
  slot.target.states.remove(id.value);
  for (const std::uint32_t root : before.roots.to_vector()) {
    if (!wants(index, relay, RootId{root})) slot.target.roots.remove(root);
  }
}

void Targets::enter(RelayId relay, RepoId id, const Repo& repo) {
  Slot& slot = changing(relay);
  slot.target.states.remove(id.value);
  put(slot.target, id, repo);
  put(slot.change.grown, id, repo);
}

void Targets::repo_changed(const RepoIndex& index, RepoId id, const Repo& before) {
  const Repo& repo = index.at(id);
  const bool same_level = repo.level == before.level;
  for (const RelayId relay : before.relays) {
    if (!std::binary_search(repo.relays.begin(), repo.relays.end(), relay)) {
      leave(index, relay, id, before);
    }
  }
  if (!repo.level) return;
  for (const RelayId relay : repo.relays) {
    const bool was_there = std::binary_search(before.relays.begin(), before.relays.end(), relay);
    if (!was_there || !same_level) enter(relay, id, repo);
  }
}

void Targets::root_added(const RepoIndex& index, RootId root, const std::vector<RepoId>& gained) {
  for (const RepoId id : gained) {
    const Repo& repo = index.at(id);
    if (repo.level != Level::Full) continue;
    for (const RelayId relay : repo.relays) changing(relay).gather(root.value);
  }
}

void Targets::root_removed(const RepoIndex& index, RootId root, const std::vector<RepoId>& lost) {
  for (const RepoId id : lost) {
    for (const RelayId relay : index.at(id).relays) {
      Slot& slot = changing(relay);
      slot.settle();
      slot.target.roots.remove(root.value);
      slot.change.shrank = true;
    }
  }
}

namespace {

// Collects numbers in any order and gives them back ascending, which a bitmap takes far faster.
class Sorter {
 public:
  explicit Sorter(std::size_t size) : words_(size / 64 + 1) {}
  void add(std::uint32_t number) { words_[number / 64] |= std::uint64_t{1} << number % 64; }
  std::vector<std::uint32_t> take() {
    std::vector<std::uint32_t> numbers;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t word = std::exchange(words_[i], 0); word != 0; word &= word - 1) {
        numbers.push_back(static_cast<std::uint32_t>(i * 64) +
                          static_cast<std::uint32_t>(std::countr_zero(word)));
      }
    }
    return numbers;
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace

std::map<RelayId, Target> inverted(const RepoIndex& index) {
  std::map<RelayId, Target> out;
  std::map<RelayId, std::vector<std::uint32_t>> full;
  std::vector<std::vector<std::uint32_t>> roots(index.size());
  for (std::uint32_t id = 0; id < index.size(); ++id) {
    const Repo& repo = index.at(RepoId{id});
    if (!repo.level) continue;
    const bool is_full = repo.level == Level::Full;
    if (is_full) roots[id] = repo.roots.to_vector();
    for (const RelayId relay : repo.relays) {
      (is_full ? out[relay].repos : out[relay].states).add(id);
      if (is_full) full[relay].push_back(id);
    }
  }
  Sorter sorter(index.root_count());
  for (const auto& [relay, repos] : full) {
    for (const std::uint32_t id : repos) {
      for (const std::uint32_t root : roots[id]) sorter.add(root);
    }
    out[relay].roots.add(sorter.take());
  }
  return out;
}

}  // namespace graspd::sync
