// What the fetch of a repository does next.
//
//   R1  One command at a time. When it has run for half a minute, a second one runs in parallel, on
//       another domain.
//   R2  Fetching objects that were found advertised comes before reading further advertisements.
//   R3  Single oids are requested when there is nothing else to do and nothing runs. They wait for
//       their turn for a limited time; then the pass ends without them.
//   R4  Sources that are set aside or paused are skipped, with their reason.
#pragma once
#include <optional>
#include <variant>
#include <vector>

#include "git/fetch_domains.h"
#include "git/fetch_job.h"
#include "git/fetch_urls.h"

namespace graspd::git::fetch {

struct Begin {
  Kind kind = Kind::Advertisement;
  FetchSource* fetch_source = nullptr;
  std::vector<Oid> oids;
  std::size_t commands = 1;
};
struct Blocked {
  std::optional<core::Instant> until;  // nullopt: until something ends
};
struct PassOver {};
using Choice = std::variant<Begin, Blocked, PassOver>;

class Chooser {
 public:
  Chooser(const Options& options, const Domains& domains, const Urls& urls, core::Instant now)
      : options_(options), domains_(domains), urls_(urls), now_(now) {}

  // Moves the fetch_sources that have nothing to give along their stages.
  Choice choose(FetchJob& job);

 private:
  bool consider(FetchJob& job, FetchSource& fetch_source, Kind kind);
  bool consider_late(FetchJob& job);
  bool take(FetchSource& fetch_source, Kind kind, std::vector<Oid> oids);
  void wait_until(const std::optional<core::Instant>& at);
  std::vector<Oid> batch(const FetchJob& job, const FetchSource& fetch_source) const;
  std::vector<Oid> single(const FetchJob& job, const FetchSource& fetch_source) const;

  const Options& options_;
  const Domains& domains_;
  const Urls& urls_;
  const core::Instant now_;
  std::optional<std::string> avoid_;  // the host where the first command runs
  bool blocked_ = false;
  std::optional<core::Instant> until_;
  std::optional<Begin> begin_;
};

}  // namespace graspd::git::fetch
