#include "git/authorize.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>

namespace graspd::git {
namespace {

// More would not be read, and every ref of the push may carry them.
constexpr std::size_t kDetailsMax = 5;
// A push may have thousands of refs: the answer shall not be thousands of times the same list.
constexpr std::size_t kExplainedMax = 100;

// A ref as the three sides see it.
struct Place {
  const RefName& ref;
  const Oid* current;
  const Command* command;
  const Oid* declared;

  const Oid* would_be() const {
    if (!command) return current;
    return command->is_delete() ? nullptr : &command->new_oid;
  }
};

bool equal(const Oid* a, const Oid* b) { return a && b ? *a == *b : a == b; }

using CommandsByName = std::vector<const Command*>;

CommandsByName by_name(std::span<const Command> commands) {
  CommandsByName ordered;
  ordered.reserve(commands.size());
  for (const auto& command : commands) ordered.push_back(&command);
  std::sort(ordered.begin(), ordered.end(),
            [](const Command* a, const Command* b) { return a->ref < b->ref; });
  return ordered;
}

// All refs that any side knows, in the order of their names: one pass, no look-ups.
class Walk {
 public:
  Walk(const Refs& current, const CommandsByName& commands, const Refs& declared)
      : current_(current.begin()),
        current_end_(current.end()),
        command_(commands.begin()),
        command_end_(commands.end()),
        declared_(declared.begin()),
        declared_end_(declared.end()) {}

  std::optional<Place> next() {
    const RefName* ref = least();
    if (!ref) return std::nullopt;
    Place place{*ref, nullptr, nullptr, nullptr};
    if (current_ != current_end_ && current_->first == *ref) place.current = &(current_++)->second;
    if (command_ != command_end_ && (*command_)->ref == *ref) place.command = *command_++;
    if (declared_ != declared_end_ && declared_->first == *ref) {
      place.declared = &(declared_++)->second;
    }
    return place;
  }

 private:
  const RefName* least() const {
    const RefName* ref = nullptr;
    const auto consider = [&](const RefName& name) {
      if (!ref || name < *ref) ref = &name;
    };
    if (current_ != current_end_) consider(current_->first);
    if (command_ != command_end_) consider((*command_)->ref);
    if (declared_ != declared_end_) consider(declared_->first);
    return ref;
  }

  Refs::const_iterator current_, current_end_;
  CommandsByName::const_iterator command_, command_end_;
  Refs::const_iterator declared_, declared_end_;
};

bool is_pull_request_branch(const RefName& ref) {
  return ref.space() == RefName::Space::Heads && ref.short_name().starts_with("pr/");
}

// What is wrong with a ref that would not be as declared.
std::string describe(const Place& place) {
  const std::string& ref = place.ref.text();
  const Oid* would_be = place.would_be();
  const Oid* declared = place.declared;
  if (!would_be) return fmt::format("{} missing (the state declares {})", ref, declared->hex());
  if (declared) {
    return fmt::format("{} would be at {} but the state declares {}", ref, would_be->hex(),
                       declared->hex());
  }
  return fmt::format("{} would exist at {} but the state does not declare it{}", ref,
                     would_be->hex(),
                     is_pull_request_branch(place.ref)
                         ? "; pr/ branches are sent over nostr as refs/nostr/<event-id>"
                         : "");
}

// The first differences in words, and how many there are.
struct Differences {
  std::vector<std::string> details;
  std::size_t count = 0;

  void add(const Place& place) {
    if (++count <= kDetailsMax) details.push_back(describe(place));
  }
};

std::string whole_push_reason(const Differences& differences) {
  std::string reason =
      fmt::format("the push is refused as a whole: {}", fmt::join(differences.details, ", "));
  if (differences.count > kDetailsMax) {
    reason += fmt::format(" and {} more", differences.count - kDetailsMax);
  }
  return reason;
}

// The verdict on a command by itself.
CommandVerdict judge(const Place& place) {
  if (equal(place.would_be(), place.current)) return AlreadyThere{};
  if (equal(place.would_be(), place.declared)) return Apply{};
  if (place.command->is_delete()) {
    return Refuse{"Cannot delete ref still declared in state: " + place.ref.text()};
  }
  return Refuse{describe(place)};
}

// None of the commands may do anything if the push as a whole may not.
void refuse_innocents(PushDecision& decision, const Differences& differences) {
  const std::string whole = whole_push_reason(differences);
  std::size_t explained = 0;
  for (auto& verdict : decision.verdicts) {
    if (!std::holds_alternative<Apply>(verdict)) continue;
    verdict = Refuse{++explained <= kExplainedMax
                         ? whole
                         : "the push is refused as a whole: see the reasons of the first refs"};
  }
}

PushDecision judge_against(const Refs& current, std::span<const Command> commands,
                           const Refs& declared) {
  PushDecision decision;
  decision.verdicts.resize(commands.size());
  Differences differences;
  const auto ordered = by_name(commands);
  Walk walk(current, ordered, declared);
  while (const auto place = walk.next()) {
    if (!equal(place->would_be(), place->declared)) differences.add(*place);
    if (!place->command) continue;
    const auto index = static_cast<std::size_t>(place->command - commands.data());
    decision.verdicts[index] = judge(*place);
  }
  if (differences.count > 0) refuse_innocents(decision, differences);
  return decision;
}

PushDecision refuse_changes(const Refs& current, std::span<const Command> commands,
                            const std::string& reason) {
  PushDecision decision = judge_against(current, commands, current);
  for (auto& verdict : decision.verdicts) {
    if (!std::holds_alternative<AlreadyThere>(verdict)) verdict = Refuse{reason};
  }
  return decision;
}

}  // namespace

bool PushDecision::accepted() const {
  return std::none_of(verdicts.begin(), verdicts.end(), [](const CommandVerdict& verdict) {
    return std::holds_alternative<Refuse>(verdict);
  });
}

PushDecision authorize_branches(const Refs& current, std::span<const Command> commands,
                                const std::optional<Declared>& governing,
                                const std::string& why_no_state) {
  if (!governing) return refuse_changes(current, commands, why_no_state);
  return judge_against(current, commands, governing->refs);
}

}  // namespace graspd::git
