#include "gitio/share.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "gitio/commands.h"
#include "gitio/connectivity.h"
#include "gitio/files.h"
#include "gitio/object_files.h"
#include "gitio/pack_index.h"
#include "gitio/repository.h"
#include "gitio/run.h"

namespace graspd::gitio {

namespace fs = std::filesystem;

namespace {

using Oids = std::vector<git::Oid>;  // ascending

constexpr std::size_t kLineSize = 2 * git::Oid::kSize + 1;

// Lines of oids that come in pieces.
class OidLines {
 public:
  void add(std::string_view piece) {
    for (std::size_t end = 0; (end = piece.find('\n')) != piece.npos;) {
      line_ += piece.substr(0, end);
      if (const auto oid = git::Oid::parse(line_)) oids.push_back(*oid);
      line_.clear();
      piece.remove_prefix(end + 1);
    }
    line_ += piece;
  }
  Oids oids;

 private:
  std::string line_;
};

// Where both have the same: what `to` reaches from its refs it has whole, and need not get.
core::Result<std::string, std::string> revisions(const Oids& tips, const Repository& from,
                                                 const Repository& to) {
  using enum git::RefName::Space;
  const auto refs = to.refs(std::array{Heads, Tags, Nostr});
  if (!refs) return core::Failure{refs.error()};
  std::string input;
  for (const git::Oid& tip : tips) input += tip.hex() + '\n';
  const Oids absent = from.missing(*refs);
  for (const auto& [ref, oid] : *refs) {
    if (std::binary_search(absent.begin(), absent.end(), oid)) continue;
    input += '^' + oid.hex() + '\n';
  }
  return input;
}

core::Result<Oids, std::string> objects_of(const fs::path& repository, std::string_view revisions,
                                           const ShareLimits& limits) {
  OidLines lines;
  const RunLimits run_limits{.output_max = limits.objects_max * kLineSize,
                             .deadline = limits.deadline};
  auto output = run_into([&](std::string_view piece) { lines.add(piece); },
                         list_objects(repository), revisions, run_limits);
  if (!output) return core::Failure{std::move(output).error()};
  if (output->status != 0) return core::Failure{"cannot list objects: " + output->err};
  std::sort(lines.oids.begin(), lines.oids.end());
  return std::move(lines.oids);
}

// Would linking the pack give `to` objects it needs, and no others? R1 hangs on this.
bool is_pure(const PackIndex& pack, const Oids& needed, const Repository& to) {
  auto next = needed.begin();
  bool useful = false;
  for (std::size_t i = 0; i < pack.size(); ++i) {
    const git::Oid oid = pack[i];
    next = std::find_if(next, needed.end(), [&](const git::Oid& other) { return other >= oid; });
    const bool is_needed = next != needed.end() && *next == oid;
    if (!is_needed && !to.has(oid)) return false;
    useful |= is_needed;
  }
  return useful;
}

void remove_objects(Oids& needed, const PackIndex& pack) {
  std::size_t i = 0;
  std::erase_if(needed, [&](const git::Oid& oid) {
    while (i < pack.size() && pack[i] < oid) ++i;
    return i < pack.size() && pack[i] == oid;
  });
}

// Links what can be linked and takes its objects off the list.
core::Result<std::size_t, std::string> link_packs(const fs::path& from, const fs::path& to,
                                                  const Repository& target, Oids& needed) {
  std::size_t linked = 0;
  for (const fs::path& path : pack_indexes(from)) {
    const auto pack = PackIndex::open(path);
    if (!pack || !is_pure(*pack, needed, target)) continue;
    if (auto done = link_pack(path, to); !done) return core::Failure{std::move(done).error()};
    remove_objects(needed, *pack);
    ++linked;
  }
  return linked;
}

core::Result<core::Done, std::string> pack_rest(const fs::path& from, const fs::path& to,
                                                const Oids& needed, const ShareLimits& limits) {
  std::string input;
  input.reserve(needed.size() * kLineSize);
  for (const git::Oid& oid : needed) input += oid.hex() + '\n';
  const fs::path folder = to / "objects" / "pack";
  auto packed =
      run_ok(pack_objects_into(from, folder / "pack"), input, {.deadline = limits.deadline});
  if (!packed) return core::Failure{std::move(packed).error()};
  return sync_to_disk(folder);
}

core::Result<bool, std::string> has_whole(const fs::path& path, const Repository& repository,
                                          const Oids& tips, core::Duration deadline) {
  const bool all = std::all_of(tips.begin(), tips.end(),
                               [&](const git::Oid& tip) { return repository.has(tip); });
  if (!all) return false;
  return is_connected(path, tips, deadline);
}

}  // namespace

core::Result<Shared, std::string> copy_history(const fs::path& from, const fs::path& to,
                                               const std::vector<git::Oid>& tips,
                                               const ShareLimits& limits) {
  const auto source = Repository::open(from);
  if (!source) return core::Failure{source.error()};
  const auto target = Repository::open(to);
  if (!target) return core::Failure{target.error()};
  const auto whole = has_whole(to, *target, tips, limits.deadline);
  if (!whole) return core::Failure{whole.error()};
  if (*whole) return Shared{};

  const auto input = revisions(tips, *source, *target);
  if (!input) return core::Failure{input.error()};
  auto needed = objects_of(from, *input, limits);
  if (!needed) return core::Failure{std::move(needed).error()};
  const auto linked = link_packs(from, to, *target, *needed);
  if (!linked) return core::Failure{linked.error()};
  if (needed->empty()) return Shared{.packs_linked = *linked};
  if (auto done = pack_rest(from, to, *needed, limits); !done) return core::Failure{done.error()};
  return Shared{.packs_linked = *linked, .packed = true};
}

}  // namespace graspd::gitio
