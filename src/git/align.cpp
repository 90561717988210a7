#include "git/align.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

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

bool is_declared_branch(const std::optional<RefName>& ref, const Refs& declared) {
  return ref && ref->space() == RefName::Space::Heads && declared.contains(*ref);
}

// R2
std::optional<RefName> wanted_head(const Refs& declared,
                                   const std::optional<RefName>& declared_head,
                                   const std::optional<RefName>& current_head) {
  if (is_declared_branch(declared_head, declared)) return declared_head;
  if (is_declared_branch(current_head, declared)) return current_head;
  for (const std::string_view usual : {"refs/heads/main", "refs/heads/master"})
    if (const auto name = RefName::parse(usual); is_declared_branch(name, declared)) return name;
  const auto branch = std::find_if(declared.begin(), declared.end(), [](const auto& ref) {
    return ref.first.space() == RefName::Space::Heads;
  });
  return branch == declared.end() ? current_head : branch->first;
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
  auto head = wanted_head(declared, declared_head, current_head);
  if (head != current_head) transaction.head = std::move(head);
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
