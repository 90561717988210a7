// What is remembered about single URLs: which oids they lack, and whether to avoid them.
//
//   R1  A miss is valid for the advertisement it was found with, and for half an hour. If the
//       remote advertises something else, all oids may be requested again.
//   R2  A URL that refuses, does not exist, breaks off, or sends what we do not accept, is avoided:
//       half a minute, doubling. This says nothing about other URLs of the same site.
//   R3  The least recently used are forgotten.
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "core/time.h"
#include "git/fetch_failure.h"
#include "git/fetch_scheduler_options.h"
#include "git/fetch_url.h"
#include "git/oid.h"

namespace graspd::git::fetch {

class Urls {
 public:
  explicit Urls(const Options& options) : options_(options) {}

  void advertised(const FetchUrl& url, std::uint64_t digest, core::Instant now);
  void missed(const FetchUrl& url, const std::vector<Oid>& oids, core::Instant now);
  // Until when it counts; the past when that is over, so that those missed longest ago are tried
  // again first.
  std::optional<core::Instant> missed_until(const FetchUrl& url, const Oid& oid) const;
  bool is_missed(const FetchUrl& url, const Oid& oid, core::Instant now) const;

  void failed(const FetchUrl& url, FetchFailure failure, core::Instant now);
  void clear_failures(const FetchUrl& url);  // there is news: it may be there now
  std::optional<FetchFailure> left_alone(const FetchUrl& url, core::Instant now) const;

  std::size_t size() const { return notes_.size(); }

 private:
  struct Note {
    std::uint64_t digest = 0;
    std::map<Oid, core::Instant> misses;
    std::uint32_t strikes = 0;
    std::optional<FetchFailure> why;
    core::Instant out_until, used;
  };
  Note& note(const FetchUrl& url, core::Instant now);

  Options options_;
  std::map<FetchUrl, Note> notes_;
};

}  // namespace graspd::git::fetch
