#include "git/align.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace graspd::git {
namespace {

bool is_aligned(const RefName& ref) {
  return ref.space() == RefName::Space::Heads || ref.space() == RefName::Space::Tags;
}

void add_deletions(RefTransaction& transaction, const Refs& current, const Refs& declared) {
  for (const auto& [ref, oid] : current) {
    if (!is_aligned(ref) || declared.contains(ref)) continue;
    transaction.updates.push_back({ref, oid, std::nullopt});
  }
}

void add_changes(RefTransaction& transaction, const Refs& current, const Refs& declared) {
  for (const auto& [ref, oid] : declared) {
    if (!is_aligned(ref)) continue;
    const auto found = current.find(ref);
    if (found == current.end()) {
      transaction.updates.push_back({ref, std::nullopt, oid});
    } else if (found->second != oid) {
      transaction.updates.push_back({ref, found->second, oid});
    }
  }
}

using Names = std::set<std::string_view>;

bool has_directory_in(std::string_view name, const Names& names) {
  for (auto slash = name.rfind('/'); slash != std::string_view::npos; slash = name.rfind('/')) {
    name = name.substr(0, slash);
    if (names.contains(name)) return true;
  }
  return false;
}

bool any_directory_in(const Names& names, const Names& directories) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return has_directory_in(name, directories); });
}

}  // namespace

RefTransaction align(const Refs& current, const Refs& declared,
                     const std::optional<RefName>& declared_head,
                     const std::optional<RefName>& current_head) {
  RefTransaction transaction;
  if (declared.empty()) return transaction;
  add_deletions(transaction, current, declared);
  add_changes(transaction, current, declared);
  const bool is_branch = declared_head && declared_head->space() == RefName::Space::Heads &&
                         declared.contains(*declared_head);
  if (is_branch && declared_head != current_head) transaction.head = declared_head;
  return transaction;
}

bool split_needed(const RefTransaction& transaction) {
  Names deleted;
  Names created;
  for (const auto& update : transaction.updates) {
    if (!update.new_oid) deleted.insert(update.ref.text());
    if (!update.old_oid) created.insert(update.ref.text());
  }
  return any_directory_in(created, deleted) || any_directory_in(deleted, created);
}

}  // namespace graspd::git
