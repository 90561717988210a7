#include "app/import_ngit/import_ngit.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

#include "app/base/owner_key.h"
#include "app/base/secret_file.h"
#include "app/database/database.h"
#include "app/import_ngit/ngit_intake.h"
#include "app/import_ngit/ngit_past.h"
#include "app/import_ngit/ngit_repositories.h"
#include "app/server/wiring.h"
#include "core/counted.h"
#include "net/clock.h"
#include "nostr/nip19.h"

namespace graspd::app {
namespace {

namespace fs = std::filesystem;
using core::Done;
using core::Failure;
using ImportStep = core::Result<Done, std::string>;

constexpr std::string_view kOwnerFile = ".relay-owner.nsec";

bool same_place(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::weakly_canonical(a, error) == fs::weakly_canonical(b, error);
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class NgitImport {
 public:
  NgitImport(const Settings& settings, const NgitImportOptions& options)
      : settings_(settings), options_(options) {}

  // 0 or 1, or why it ended early.
  core::Result<int, std::string> run() {
    if (auto places = check_places(); !places) return Failure{places.error()};
    if (options_.commit) {
      auto store = open_database(settings_, Access::Write);
      if (!store) return Failure{store.error()};
      store_ = *std::move(store);
    }
    NgitIntake intake({store_.get(), service_url(settings_, settings_.bind_port),
                       verify_threads(settings_), net::now().unix_seconds, settings_.limits});
    if (auto taken = take_events(intake); !taken)
      return Failure{
          fmt::format("{}; what was written is kept, run it again later", taken.error())};
    tell(intake.counts());
    take_repositories();
    take_key();
    if (!options_.commit) fmt::print("nothing was written: run it again with --commit\n");
    const NgitIntake::Counts& counts = intake.counts();
    return bad_repositories_ + counts.unreadable + counts.report.invalid == 0 ? 0 : 1;
  }

 private:
  ImportStep check_places() const {
    if (!fs::is_directory(options_.git))
      return Failure{fmt::format("{} is not the folder of its repositories", options_.git)};
    for (const auto& [from, to, name] :
         {std::tuple(options_.relay, settings_.relay_data_path, "NGIT_RELAY_DATA_PATH"),
          std::tuple(options_.git, settings_.git_data_path, "NGIT_GIT_DATA_PATH")}) {
      if (same_place(from, to))
        return Failure{fmt::format(
            "{} is also where graspd would write ({}); move the old folder away first, and name "
            "it there: its data stays as it is",
            from, name)};
    }
    return require_disk(settings_);
  }

  ImportStep take_events(NgitIntake& intake) {
    const auto main = lmdb::NgitStore::open(options_.relay);
    if (!main) return Failure{main.error()};
    if (auto refused = take_refusals(*main); !refused) return refused;
    if (auto taken = intake.take(*main); !taken) return taken;
    const fs::path tombstones = fs::path(options_.relay) / "tombstones";
    if (fs::exists(tombstones / "data.mdb")) {
      const auto store = lmdb::NgitStore::open(tombstones.string());
      if (!store) return Failure{store.error()};
      if (auto taken = intake.take(*store); !taken) return taken;
    }
    if (auto taken = take_unsaved(intake); !taken) return taken;
    if (auto done = intake.finish(); !done) return done;
    if (auto taken = take_past(intake); !taken) return taken;
    return take_purgatory(intake);
  }

  // R7
  ImportStep take_past(NgitIntake& intake) {
    const auto versions = events_in(intake, "replaceable-history");
    const auto held = versions ? events_in(intake, "holding") : versions;
    if (!held) return Failure{held.error()};
    auto notes = notes_of_versions(*versions);
    const core::UnixSeconds due = net::now().unix_seconds + settings_.host.policy.removal_grace;
    auto kept = notes_of_held(*held, due);
    fmt::print("superseded versions: {}; of deleted repositories: {} of {}\n", notes.size(),
               core::counted(kept.events, "event"),
               core::counted(kept.repositories, "repository", "repositories"));
    std::ranges::move(kept.notes, std::back_inserter(notes));
    return put(notes);
  }

  core::Result<std::vector<nostr::WireEventPtr>, std::string> events_in(NgitIntake& intake,
                                                                        const char* folder) const {
    const fs::path path = fs::path(options_.relay) / folder;
    if (!fs::exists(path / "data.mdb")) return std::vector<nostr::WireEventPtr>{};
    const auto store = lmdb::NgitStore::open(path.string());
    if (!store) return Failure{store.error()};
    return intake.read(*store);
  }

  ImportStep put(const std::vector<store::Note>& notes) {
    if (!store_ || notes.empty()) return Done{};
    const auto written = store_->write({.events = {}, .notes = notes}, net::now().unix_seconds);
    if (!written) return Failure{std::string(store::describe(written.error()))};
    return Done{};
  }

  ImportStep take_refusals(const lmdb::NgitStore& from) {
    const auto refusals = from.refusals();
    if (!refusals) return Failure{refusals.error()};
    fmt::print("deleted: {}, {}\n", core::counted(refusals->ids.size(), "event"),
               core::counted(refusals->addresses.size(), "repository or other address",
                             "repositories or other addresses"));
    if (!store_ || refusals->size() == 0) return Done{};
    const auto done = store_->refuse(*refusals);
    if (!done) return Failure{std::string(store::describe(done.error()))};
    return Done{};
  }

  ImportStep take_unsaved(NgitIntake& intake) const {
    std::error_code error;
    const fs::path folder = fs::path(options_.git) / ".grasp" / "pending-saves";
    for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      const auto saved = parse_saved_purgatory(text_of(entry->path()));
      if (!saved) {
        fmt::print("{}: {}; left behind\n", entry->path().string(), saved.error());
        continue;
      }
      for (const auto& unsaved : saved->entries)
        if (auto taken = intake.take(unsaved.event); !taken) return taken;
    }
    return Done{};
  }

  ImportStep take_purgatory(NgitIntake& intake) {
    const fs::path file = fs::path(options_.git) / "purgatory-state.json";
    if (!fs::exists(file)) return Done{};
    const auto saved = parse_saved_purgatory(text_of(file));
    if (!saved) {
      fmt::print("{}: {}; what waits for git data is left behind\n", file.string(), saved.error());
      return Done{};
    }
    const auto notes = intake.waiting(*saved);
    fmt::print("waiting for git data: {}\n", notes.size());
    return put(notes);
  }

  void tell(const NgitIntake::Counts& counts) const {
    for (const auto& [kind, number] : counts.by_kind) fmt::print("kind {}: {}\n", kind, number);
    for (const BadLine& bad : counts.report.first_bad)
      fmt::print("event {}: {}\n", bad.number, bad.reason);
    const ImportReport& report = counts.report;
    fmt::print("{}, {} bad, {} unreadable, {} of its own left behind",
               core::counted(report.lines, "event"), report.invalid, counts.unreadable,
               counts.internal);
    if (store_)
      fmt::print("; {} stored, {} here already, {} superseded, {} deleted or vanished, {} expired",
                 report.stored, report.duplicate, report.superseded,
                 report.deleted + report.vanished, report.expired);
    fmt::print("\n");
  }

  void take_repositories() {
    const fs::path root = fs::absolute(settings_.git_data_path).lexically_normal();
    const git::RefName& unborn = settings_.host.hosting.unborn_branch;
    const auto found = ngit_repositories(fs::absolute(options_.git).lexically_normal());
    for (const NgitRepository& repository : found) {
      const auto adopted = adopt(repository, root, unborn, options_.commit);
      if (!adopted) ++bad_repositories_;
      fmt::print("{}: {}\n", repository.path,
                 adopted ? describe(*adopted) : "not taken: " + adopted.error());
    }
    fmt::print("{}, {} not taken\n", core::counted(found.size(), "repository", "repositories"),
               bad_repositories_);
  }

  std::string describe(const Adopted& adopted) const {
    switch (adopted.what) {
      case Adoption::Copied:
        return fmt::format("{}{}", core::counted(adopted.refs, "ref"),
                           options_.commit ? ", copied" : "");
      case Adoption::Empty:
        return "empty";
      case Adoption::HereAlready:
        return fmt::format("here already, with {}", core::counted(adopted.refs, "ref"));
    }
    CHECK(false);
  }

  std::optional<fs::path> its_key() const {
    std::error_code error;
    fs::path folder = fs::absolute(options_.relay, error).lexically_normal();
    if (!folder.has_filename()) folder = folder.parent_path();
    for (int up = 0; up < 2; ++up) {
      folder = folder.parent_path();
      if (fs::exists(folder / kOwnerFile, error)) return folder / kOwnerFile;
    }
    return std::nullopt;
  }

  void take_key() {
    const auto file = its_key();
    if (!file) {
      fmt::print("no {} beside its data: copy it here to keep the identity\n", kOwnerFile);
      return;
    }
    auto text = read_secret_file(*file);
    const auto secret = text ? parse_secret(*text) : std::nullopt;
    if (text) wipe(*text);
    const auto keypair = secret ? nostr::Keypair::from(*secret) : std::nullopt;
    if (!keypair) {
      fmt::print("{} holds no key that can be read; left behind\n", file->string());
      return;
    }
    const std::string npub = nostr::nip19::npub(keypair->public_key());
    const auto own = find_owner_key(owner_places(settings_));
    if (!own) {
      fmt::print("its identity is {}; ours stays: {}\n", npub, own.error());
      return;
    }
    if (*own) {
      const auto& ours = (*own)->keypair.public_key();
      if (ours == keypair->public_key())
        fmt::print("its identity, {}, is ours already\n", npub);
      else
        fmt::print("its identity is {}; there is another key here already, {} in {}, which stays\n",
                   npub, nostr::nip19::npub(ours), (*own)->origin);
      return;
    }
    if (options_.commit && !keep(*secret)) return;
    fmt::print("its identity, {}, {}\n", npub, options_.commit ? "is ours now" : "would be ours");
  }

  bool keep(const nostr::SecretKey& secret) const {
    const fs::path target = settings_.owner_nsec_file.empty() ? fs::path(kOwnerFile)
                                                              : fs::path(settings_.owner_nsec_file);
    std::string text = nostr::nip19::nsec(secret) + "\n";
    const auto written = create_secret_file(target, text);
    wipe(text);
    if (!written) fmt::print("its identity could not be kept: {}\n", written.error());
    return static_cast<bool>(written);
  }

  const Settings& settings_;
  const NgitImportOptions& options_;
  std::unique_ptr<lmdb::LmdbStore> store_;  // with --commit
  std::uint64_t bad_repositories_ = 0;
};

}  // namespace

int import_from_ngit(const Settings& settings, const NgitImportOptions& options) {
  const auto code = NgitImport(settings, options).run();
  if (!code) return fail(code.error());
  return *code;
}

}  // namespace graspd::app
