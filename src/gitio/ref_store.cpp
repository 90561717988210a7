#include "gitio/ref_store.h"

#include <algorithm>
#include <fcntl.h>
#include <span>
#include <unistd.h>
#include <utility>
#include <vector>

#include "core/file_descriptor.h"
#include "core/log.h"
#include "git/command_line.h"
#include "gitio/commands.h"
#include "gitio/files.h"
#include "gitio/leftovers.h"
#include "gitio/repository.h"
#include "gitio/run.h"

namespace graspd::gitio {

namespace fs = std::filesystem;

namespace {

// Said in full, so that a list cut off because we were killed is not taken for all of it.
std::string transaction_input(std::span<const git::RefUpdate> updates) {
  using namespace std::string_literals;
  return "start\0"s + git::update_refs_input(updates) + "prepare\0commit\0"s;
}

core::Result<core::Done, std::string> update(const fs::path& repository,
                                             std::span<const git::RefUpdate> updates) {
  if (updates.empty()) return core::Done{};
  git::CommandLine command = git::update_refs(repository.string());
  if (updates.size() <= kPackAfter) command = with_synced_refs(std::move(command));
  auto done = run_ok(command, transaction_input(updates));
  if (!done) return core::Failure{std::move(done).error()};
  return core::Done{};
}

core::Result<core::Done, std::string> verify(const fs::path& path,
                                             const std::vector<git::RefUpdate>& updates) {
  const auto repository = Repository::open(path);
  if (!repository) return core::Failure{repository.error()};
  for (const git::RefUpdate& update : updates)
    if (repository->find(update.ref) != update.old_oid)
      return core::Failure{update.ref.text() + " has moved"};
  return core::Done{};
}

// R2.
core::Result<core::Done, std::string> update_in_two(const fs::path& repository,
                                                    std::vector<git::RefUpdate> updates) {
  if (auto verified = verify(repository, updates); !verified) return verified;
  const auto rest = std::stable_partition(updates.begin(), updates.end(),
                                          [](const auto& update) { return !update.new_oid; });
  if (auto done = update(repository, {updates.begin(), rest}); !done) return done;
  return update(repository, {rest, updates.end()});
}

// HEAD.lock is git's own lock of HEAD; the rename is what git does as well.
core::Result<core::Done, std::string> set_head(const fs::path& repository,
                                               const git::RefName& head) {
  const fs::path lock = repository / "HEAD.lock";
  const core::FileDescriptor file(
      ::open(lock.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!file) return failed("cannot create", lock);
  if (auto written = write_file(lock, "ref: " + head.text() + "\n", Sync::Yes); !written) {
    ::unlink(lock.c_str());
    return written;
  }
  if (auto placed = put_in_place(lock, repository / "HEAD"); !placed) return placed;
  return sync_to_disk(repository);
}

// R4. Pull requests come one by one, and lie side by side.
bool has_many_loose_pulls(const fs::path& repository) {
  std::size_t count = 0;
  std::error_code error;
  fs::directory_iterator entry(repository / "refs" / "nostr", error);
  for (; !error && entry != fs::directory_iterator() && count <= kPackAfter; entry.increment(error))
    ++count;
  return count > kPackAfter;
}

// The refs are right without it; maintenance tries again.
void pack(const fs::path& repository) {
  const auto packed = run_ok(with_synced_refs(git::pack_refs(repository.string())), {});
  if (!packed)
    core::log::warn("cannot pack the refs of {}: {}", repository.string(), packed.error());
}

}  // namespace

core::Result<core::Done, std::string> apply(const fs::path& repository,
                                            const git::RefTransaction& transaction) {
  const auto perform = [&] {
    return git::split_needed(transaction) ? update_in_two(repository, transaction.updates)
                                          : update(repository, transaction.updates);
  };
  auto updated = perform();
  if (!updated && remove_ref_locks(repository, kLockAge) > 0) updated = perform();  // R5
  if (!updated) return updated;
  if (transaction.updates.size() > kPackAfter || has_many_loose_pulls(repository)) pack(repository);
  return transaction.head ? set_head(repository, *transaction.head) : core::Done{};
}

}  // namespace graspd::gitio
