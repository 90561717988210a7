// One slice of a survey: every event that matches any filter and is not expired, newest first.
#pragma once
#include "lmdb/walk.h"

namespace graspd::lmdb {

// Entries of a plain page that cost as much as one that has to be looked at by itself.
constexpr std::size_t kPlainEntries = 16;

class SurveySlice {
 public:
  SurveySlice(const Txn& txn, const Tables& tables, store::Survey& survey,
              const store::Budget& budget, core::UnixSeconds now)
      : txn_(txn),
        tables_(tables),
        survey_(survey),
        entries_max_(std::max<std::size_t>(budget.entries, 1)),
        now_(now),
        walk_(txn, tables, survey.filters) {}

  // `plain_entries` is how many calls of `visit` cost as much as a look at one event.
  template <class Visit>
  store::ReadState run(std::size_t plain_entries, const Visit& visit) {
    if (!open()) return store::ReadState::Unfinished;
    for (std::size_t work = 0; work < entries_max_;) {
      const Page plain = walk_.plain_page();
      if (plain.empty()) {
        if (!walk_.step()) return store::ReadState::Finished;
        if (walk_.matches_any() && !take(walk_.entry(), visit)) return store::ReadState::Finished;
        survey_.after = position_of(walk_.entry());
        work += walk_.candidates().size();
      } else {
        for (const EntryBytes& entry : plain) {
          if (!take(entry, visit)) return store::ReadState::Finished;
        }
        survey_.after = position_of(plain.back());
        work += plain.size() / plain_entries + 1;
        walk_.skip_page();
      }
    }
    return store::ReadState::Unfinished;
  }

 private:
  bool open() {
    std::size_t lookups = entries_max_;
    for (std::uint32_t i = 0; i < survey_.filters.size(); ++i) {
      const nostr::Filter& filter = survey_.filters[i];
      std::unique_ptr<PageSource> ids;
      if (filter.ids) {
        ids = source_of_ids(txn_, tables_, filter, survey_.after, survey_.found_ids[i], lookups);
        if (!ids) return false;
      }
      walk_.open(i, survey_.after, std::move(ids));
    }
    return true;
  }

  bool is_alive(const EntryBytes& entry) const {
    return !expires(entry) || !load_record(txn_, tables_, serial_of(entry)).is_expired(now_);
  }

  // False when there are more than may be shown.
  template <class Visit>
  bool take(const EntryBytes& entry, const Visit& visit) {
    if (!is_alive(entry)) return true;
    survey_.cut = survey_.seen == survey_.max;
    if (survey_.cut) return false;
    ++survey_.seen;
    visit(entry);
    return true;
  }

  const Txn& txn_;
  const Tables& tables_;
  store::Survey& survey_;
  const std::size_t entries_max_;
  const core::UnixSeconds now_;
  Walk walk_;
};

}  // namespace graspd::lmdb
