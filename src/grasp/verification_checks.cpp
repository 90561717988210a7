// What quick checks find, and looks that somebody asks for.
#include <algorithm>

#include "grasp/verification.h"

namespace graspd::grasp {

CheckNews Verifications::checked(core::Now now, const Coordinate& repo, const Checked& check) {
  const auto at = entries_.find(repo);
  if (at == entries_.end()) return CheckNews::None;
  Entry& entry = at->second;
  ++meter_.checks;
  entry.is_checked = true;
  if (!check.lacking.empty()) return lost(now, repo, entry, check);
  const bool is_back = std::exchange(entry.is_lacking, false);
  if (check.declares)
    confirm(now, repo, entry, check);
  else if (is_back)
    look_soon(repo, entry, now.instant);
  return is_back ? CheckNews::Back : CheckNews::None;
}

// R8
CheckNews Verifications::lost(core::Now now, const Coordinate& repo, Entry& entry,
                              const Checked& check) {
  GitHealth& health = entry.record.health;
  const bool is_news = !std::exchange(entry.is_lacking, true);
  if (is_news) ++meter_.losses;
  // R8: refs that point at nothing are not in sync, even if each is where it is declared to be.
  const std::string& behind = check.behind.empty() ? check.lacking : check.behind;
  if (!is_news && health.problem == check.lacking && health.behind == behind)
    return CheckNews::None;
  health.problem = check.lacking;
  health.behind = behind;
  entry.record.made_from.reset();
  entry.rests.reset();  // what comes back is looked at as soon as it does
  if (options_.looks && !busy_with(repo))
    look_at(repo, entry, now.instant + before_next(options_.broken_interval));
  note(repo, entry);
  return is_news ? CheckNews::Lost : CheckNews::None;
}

// R7
void Verifications::confirm(core::Now now, const Coordinate& repo, Entry& entry,
                            const Checked& check) {
  VerificationRecord& record = entry.record;
  GitHealth& health = record.health;
  const bool moved = std::exchange(health.behind, check.behind) != check.behind;
  if (check.behind.empty()) health.synced_at = now.unix_seconds;
  const bool holds =
      record.made_from && check.made_of && check.made_of->still_holds(*record.made_from);
  const bool grew = holds && *check.made_of != *record.made_from;
  if (grew) record.made_from = check.made_of;
  const bool was_bound = record.made_from.has_value();
  if (!holds) {
    record.made_from.reset();
    look_soon(repo, entry, now.instant);
  }
  if (moved && !check.behind.empty()) look_soon(repo, entry, now.instant);
  if (moved || grew || (!holds && was_bound)) note(repo, entry);
}

bool Verifications::is_lacking(const Coordinate& repo) const {
  const auto at = entries_.find(repo);
  return at != entries_.end() && at->second.is_lacking;
}

bool Verifications::needs_check(const Coordinate& repo) const {
  const auto at = entries_.find(repo);
  return at != entries_.end() && (at->second.is_lacking || !at->second.is_checked);
}

bool Verifications::busy_with(const Coordinate& repo) const {
  return busy_ && busy_->task.kind == VerificationTask::Kind::Look && busy_->task.repo == repo;
}

std::optional<std::uint64_t> Verifications::ask(core::Now now,
                                                const std::optional<Coordinate>& repo) {
  const auto ask_for = [&](const Coordinate& one, Entry& entry) {
    entry.is_asked = true;
    look_soon(one, entry, now.instant);
  };
  if (!repo) {
    for (auto& [one, entry] : entries_) ask_for(one, entry);
    return begun_;
  }
  const auto at = entries_.find(*repo);
  if (at == entries_.end()) return std::nullopt;
  ask_for(*repo, at->second);
  return begun_;
}

VerificationAnswers Verifications::answers(std::uint64_t number, std::uint64_t cursor,
                                           const std::optional<Coordinate>& repo,
                                           std::size_t max) const {
  VerificationAnswers answers{{}, cursor, 0};
  std::vector<std::pair<std::uint64_t, const std::pair<const Coordinate, Entry>*>> ended;
  for (const auto& one : entries_) {
    if (repo && one.first != *repo) continue;
    if (one.second.looked <= number)
      ++answers.waiting;
    else if (one.second.looked > cursor)
      ended.emplace_back(one.second.looked, &one);
  }
  std::ranges::sort(ended);
  if (ended.size() > max) {
    answers.waiting += ended.size() - max;
    ended.resize(max);
  }
  for (const auto& [looked, one] : ended) {
    answers.cursor = looked;
    answers.done.push_back({one->first, one->second.declares, one->second.record.health.problem});
  }
  return answers;
}

}  // namespace graspd::grasp
