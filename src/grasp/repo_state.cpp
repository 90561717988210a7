#include "grasp/repo_state.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/check.h"
#include "grasp/coordinate.h"

namespace graspd::grasp {
namespace {

constexpr std::string_view kSymbolic = "ref: ";

// R1
bool is_declaration(const nostr::Tag& tag) {
  const auto name = tag.name();
  const bool is_head_or_tag = name.starts_with("refs/heads/") || name.starts_with("refs/tags/");
  return is_head_or_tag && !name.ends_with("^{}") && !tag.value().starts_with(kSymbolic);
}

// R3: false when git could never hold this ref.
bool declare(const nostr::Tag& tag, git::Refs& refs) {
  auto name = git::RefName::parse(tag.name());
  const auto oid = git::Oid::parse(tag.value());
  if (!name || !oid || oid->is_zero()) return false;
  const auto [at, is_new] = refs.emplace(*std::move(name), *oid);
  return is_new || at->second == *oid;
}

// The beginning of a name, not cut within a character.
std::string shown(std::string_view name) {
  constexpr std::size_t kShownMax = 40;
  if (name.size() <= kShownMax) return std::string(name);
  std::size_t end = kShownMax;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0U) == 0x80U) --end;
  return std::string(name.substr(0, end)) + "…";
}

// R5
std::string told_too_long(std::string_view name) {
  const auto why = git::RefName::why_too_long(name);
  return why ? fmt::format("the ref name {} {}", shown(name), *why) : std::string();
}

// Is `refs/heads/a` there, beside the `refs/heads/a/b` that `name` is? git keeps refs in folders.
bool lies_below_another(const git::RefName& name, const git::Refs& refs) {
  const std::string_view text = name.text();
  for (auto slash = text.rfind('/'); slash != std::string_view::npos && slash > 0;
       slash = text.rfind('/', slash - 1)) {
    const auto above = git::RefName::parse(text.substr(0, slash));
    if (above && refs.count(*above) > 0) return true;
  }
  return false;
}

bool fit_together(const git::Refs& refs) {
  return std::none_of(refs.begin(), refs.end(),
                      [&](const auto& ref) { return lies_below_another(ref.first, refs); });
}

// R2
std::optional<git::RefName> read_head(const nostr::Event& event) {
  for (const nostr::Tag tag : event.tags) {
    if (tag.name() != "HEAD") continue;
    auto value = tag.value();
    if (value.starts_with(kSymbolic)) value.remove_prefix(kSymbolic.size());
    auto name = git::RefName::parse(value);
    if (name && name->space() == git::RefName::Space::Heads) return name;
  }
  return std::nullopt;
}

}  // namespace

core::Result<RepoState, std::string> parse_state(const nostr::Event& event) {
  CHECK(event.kind == kinds::kState);
  const auto identifier = nostr::identifier(event);
  if (const auto fault = Identifier::fault(identifier)) {
    return core::Failure{fmt::format("invalid: {}", describe(*fault))};
  }
  RepoState state{.author = event.pubkey,
                  .identifier = *Identifier::parse(identifier),
                  .id = event.id,
                  .created_at = event.created_at,
                  .refs = {},
                  .head = read_head(event),
                  .satisfiable = true};
  for (const nostr::Tag tag : event.tags) {
    if (!is_declaration(tag) || declare(tag, state.refs)) continue;
    state.satisfiable = false;
    if (state.too_long.empty()) state.too_long = told_too_long(tag.name());
  }
  state.satisfiable = state.satisfiable && fit_together(state.refs);
  return state;
}

}  // namespace graspd::grasp
