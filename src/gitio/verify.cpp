#include "gitio/verify.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/check.h"
#include "git/exhausted.h"
#include "gitio/commands.h"
#include "gitio/repository.h"
#include "gitio/repository_stamp.h"
#include "gitio/run.h"

namespace graspd::gitio {

namespace {

class Report {
 public:
  explicit Report(std::size_t problems_max) : problems_max_(problems_max) {}

  void add(Problem problem) {
    ++result_.problems_total;
    if (result_.problems.size() < problems_max_) result_.problems.push_back(std::move(problem));
  }
  void compare(const git::Refs& declared, const git::Refs& found) {
    for (const auto& [ref, oid] : declared) {
      const auto at = found.find(ref);
      if (at == found.end())
        add({ProblemKind::RefMissing, ref, oid, std::nullopt});
      else if (at->second != oid)
        add({ProblemKind::RefElsewhere, ref, oid, at->second});
    }
    for (const auto& [ref, oid] : found)
      if (!declared.contains(ref)) add({ProblemKind::RefUndeclared, ref, std::nullopt, oid});
  }
  const std::vector<git::Oid>& set_tips(const git::Refs& refs) {
    std::set<git::Oid> tips;
    for (const auto& [ref, oid] : refs) tips.insert(oid);
    return result_.tips = {tips.begin(), tips.end()};
  }
  const Verification& result() const { return result_; }

 private:
  const std::size_t problems_max_;
  Verification result_;
};

void look_for_objects(const Repository& repository, const git::Refs& refs, Report& report) {
  const std::vector<git::Oid> missing = repository.missing(refs);
  std::set<git::Oid> named;  // several refs may stand at one object: it is one that is missing
  for (const auto& [ref, oid] : refs)
    if (std::ranges::binary_search(missing, oid) && named.insert(oid).second)
      report.add({ProblemKind::ObjectMissing, ref, oid, std::nullopt});
}

void look_at_head(const Repository& repository, const git::Refs& declared,
                  const std::optional<git::RefName>& head, Report& report) {
  if (!head || !declared.contains(*head)) return;
  if (repository.head() != head)
    report.add({ProblemKind::HeadElsewhere, head, std::nullopt, std::nullopt});
}

// R2. All of it: refs prove nothing here.
core::Result<bool, std::string> is_whole(const std::filesystem::path& repository,
                                         const std::vector<git::Oid>& tips,
                                         const VerifyOptions& options) {
  std::string input;
  for (const git::Oid& tip : tips) input += tip.hex() + '\n';
  auto output =
      run(walk_objects(repository), input, {.deadline = options.deadline, .stop = options.stop});
  if (!output) return core::Failure{std::move(output).error()};
  // git says 128 when it dies, be it for an object that is missing; more is a signal.
  if (output->status > 128 || git::exhausted(output->status, output->err))
    return core::Failure{"git rev-list was ended: " + output->err};
  return output->status == 0;
}

}  // namespace

std::string_view name(ProblemKind kind) {
  switch (kind) {
    case ProblemKind::RefMissing:
      return "ref_missing";
    case ProblemKind::RefElsewhere:
      return "ref_elsewhere";
    case ProblemKind::RefUndeclared:
      return "ref_undeclared";
    case ProblemKind::ObjectMissing:
      return "object_missing";
    case ProblemKind::Torn:
      return "torn";
    case ProblemKind::HeadElsewhere:
      return "head_elsewhere";
  }
  CHECK(false);
}

core::Result<Verification, std::string> verify(const std::filesystem::path& repository,
                                               const git::Refs& declared,
                                               const std::optional<git::RefName>& declared_head,
                                               const VerifyOptions& options) {
  const auto opened = Repository::open(repository);
  if (!opened) return core::Failure{opened.error()};
  const auto refs = opened->heads_and_tags();
  if (!refs) return core::Failure{refs.error()};
  Report report(options.problems_max);
  report.compare(declared, *refs);
  look_at_head(*opened, declared, declared_head, report);
  const git::RefName::Space nostr[] = {git::RefName::Space::Nostr};
  auto walked = opened->refs(nostr);
  if (!walked) return core::Failure{walked.error()};
  walked->insert(declared.begin(), declared.end());
  const auto& tips = report.set_tips(*walked);
  const std::size_t before = report.result().problems_total;
  look_for_objects(*opened, *walked, report);
  if (report.result().problems_total > before) return report.result();
  const auto whole = is_whole(repository, tips, options);
  if (!whole) return core::Failure{whole.error()};
  if (!*whole) report.add({ProblemKind::Torn, std::nullopt, std::nullopt, std::nullopt});
  return report.result();
}

core::Result<QuickLook, std::string> look_quickly(const std::filesystem::path& repository,
                                                  const git::Refs& declared,
                                                  const std::optional<git::RefName>& declared_head,
                                                  const VerifyOptions& options) {
  const auto opened = Repository::open(repository);
  if (!opened) return core::Failure{opened.error()};
  const auto refs = opened->heads_and_tags();
  if (!refs) return core::Failure{refs.error()};
  auto made_of = fingerprint(repository, *refs);
  if (!made_of) return core::Failure{std::move(made_of).error()};
  Report report(options.problems_max);
  report.compare(declared, *refs);
  look_at_head(*opened, declared, declared_head, report);
  look_for_objects(*opened, declared, report);
  report.set_tips(declared);
  const bool is_hollow = refs->empty() || !opened->missing(*refs).empty();
  return QuickLook{report.result(), refs->empty(), is_hollow, *std::move(made_of)};
}

Verification compare(const git::Refs& declared, const RemoteRefs& served,
                     const VerifyOptions& options) {
  git::Refs branches;
  for (const auto& [ref, oid] : served.refs)
    if (ref.space() != git::RefName::Space::Nostr) branches.emplace(ref, oid);
  Report report(options.problems_max);
  report.compare(declared, branches);
  return report.result();
}

}  // namespace graspd::gitio
