// How much may be requested from whom: limits per domain, and the health of the sites there.
//
//   R1  A domain is a host. It has a limit of concurrent commands and of commands in any 60
//       seconds. A fetch may take several, so they are reserved when it starts, and unused ones are
//       returned.
//   R2  Single oids have a smaller share, and only while the domain is not busy.
//   R3  A site is host and port. Other ports say nothing about it: a URL with a made-up port must
//       not discredit a good host.
//   R4  A site with a persistent fault (name, certificate, address) is set aside for hours. So is a
//       site that does not speak git, unless it has served git before: then only that URL is at
//       fault.
//   R5  HTTP 429 pauses the domain. An unreachable site is paused for seconds, doubling. A site
//       that breaks off or falls silent may do so for one repository only; it gets one command at a
//       time until it does better, so that it cannot occupy all of ours.
//   R6  Our own failures, and those of single repositories, do not count against a site.
#pragma once
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/time.h"
#include "git/fetch_failure.h"
#include "git/fetch_scheduler_options.h"
#include "git/fetch_url.h"

namespace graspd::git::fetch {

enum class Kind : std::uint8_t { Advertisement, Batch, Single };

enum class Standing : std::uint8_t { Good, Unknown, Failing };  // best first

struct Ready {
  std::size_t commands = 1;  // that may be used
};
struct ReadyLater {
  std::optional<core::Instant> at;  // nullopt: when something there ends
};
struct NotReady {  // not soon
  FetchFailure why;
  core::Instant until;
};
using Readiness = std::variant<Ready, ReadyLater, NotReady>;

struct Ticket {
  std::string host, site;
  core::Instant started;
  std::size_t commands = 1;  // reserved
};

struct SiteStatus {
  std::string site;
  std::optional<FetchFailure> why;
  std::optional<core::Instant> out_until;
  std::uint32_t failures = 0;
};
struct DomainStatus {
  std::string host;
  std::size_t running = 0, used_in_last_minute = 0;
  std::optional<core::Instant> paused_until;  // it said: too many
};

std::string site_of(const FetchUrl& url);

class Domains {
 public:
  explicit Domains(const Options& options);

  Readiness ready(const FetchUrl& url, Kind kind, core::Instant now) const;
  Ticket start(const FetchUrl& url, Kind kind, std::size_t commands, core::Instant now);
  // True when the site is set aside from now on.
  bool end(const Ticket& ticket, std::size_t commands_used, std::optional<FetchFailure> failure,
           std::optional<core::Duration> retry_after, core::Instant now);

  Standing standing(const FetchUrl& url) const;
  std::vector<DomainStatus> domains(core::Instant now) const;
  std::vector<SiteStatus> sites_in_trouble(core::Instant now) const;

 private:
  struct Domain {
    std::deque<core::Instant> starts, singles;  // within the last minute
    std::size_t running = 0;
    core::Instant paused_until;
  };
  struct Site {
    std::size_t running = 0;
    std::uint32_t failures = 0;  // in a row
    std::optional<FetchFailure> why;
    core::Instant out_until, used;
    bool has_served = false;
  };

  ReadyLater share_of(const Domain& domain, Kind kind, core::Instant now) const;
  bool blame(Site& site, FetchFailure failure, core::Instant now);
  void make_space(core::Instant now);

  Options options_;
  std::map<std::string, Domain> domains_;
  std::map<std::string, Site> sites_;
};

}  // namespace graspd::git::fetch
