#include "serve/fetch/verification_words.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/check.h"

namespace graspd::serve {
namespace {

using gitio::Problem;
using gitio::ProblemKind;

constexpr std::size_t kNameMax = 120;

std::string plain(const std::optional<git::RefName>& ref) {  // R2
  std::string name = ref ? ref->text().substr(0, kNameMax) : "HEAD";
  const auto is_odd = [](char c) { return c < 0x20 || c > 0x7e; };
  std::ranges::replace_if(name, is_odd, '?');
  return name;
}

std::string brief(const std::optional<git::Oid>& oid) {
  return oid ? oid->hex().substr(0, 10) : "nothing";
}

bool is_of_refs(const Problem& problem) {
  return problem.kind != ProblemKind::ObjectMissing && problem.kind != ProblemKind::Torn;
}

}  // namespace

std::string describe(const Problem& problem) {
  const std::string ref = plain(problem.ref);
  switch (problem.kind) {
    case ProblemKind::RefMissing:
      return fmt::format("{} is missing", ref);
    case ProblemKind::RefElsewhere:
      return fmt::format("{} is at {}, not at {} as signed", ref, brief(problem.found),
                         brief(problem.declared));
    case ProblemKind::RefUndeclared:
      return fmt::format("{} exists but is not signed", ref);
    case ProblemKind::ObjectMissing:
      return fmt::format("object {} of {} is missing", brief(problem.declared), ref);
    case ProblemKind::Torn:
      return "objects are missing in its history";
    case ProblemKind::HeadElsewhere:
      return fmt::format("HEAD does not point to {} as signed", ref);
  }
  CHECK(false);
}

std::string describe(const gitio::Verification& verification) {  // R1
  if (verification.ok()) return {};
  // Lost objects are worse than refs, which are moved in a moment.
  const auto& all = verification.problems;
  const auto worst = std::ranges::find_if_not(all, is_of_refs);
  const std::string words = describe(worst == all.end() ? all.front() : *worst);
  const std::size_t more = verification.problems_total - 1;
  return more == 0 ? words : fmt::format("{}, and {} more", words, more);
}

std::string why_behind(const grasp::Ruling& ruling, bool is_moved) {
  if (ruling.waiting) return "a newer state waits for its git data";
  return is_moved ? "branches and tags are not as signed" : "";
}

// Objects are looked for last: when nothing but refs fits into the list there may be more.
bool has_wrong_refs(const gitio::Verification& verification) {
  return std::ranges::any_of(verification.problems, is_of_refs);
}

bool has_lost_objects(const gitio::Verification& verification) {
  return verification.problems_total > verification.problems.size() ||
         !std::ranges::all_of(verification.problems, is_of_refs);
}

}  // namespace graspd::serve
