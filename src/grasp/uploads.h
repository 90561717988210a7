// Unsigned uploads: git data that no signed event names yet.
//
//   R1  Several people may push for one event id; the event decides which commit counts.
//   R2  Limited per repository and in total. Uploads into PR repositories are counted separately:
//       anybody can have any number of PR repositories, and these must not take the space of
//       hosted repositories.
//   R3  Nobody has signed an upload, so it counts against the address it came from. If there is no
//       space, the address with the most loses its oldest upload, if it has more than the newcomer
//       would have: nobody can keep others from contributing.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/ip_address.h"
#include "core/persistent_map.h"
#include "core/persistent_set.h"
#include "core/time.h"
#include "git/oid.h"
#include "grasp/coordinate.h"
#include "nostr/event.h"

namespace graspd::grasp {

struct UploadLimits {
  std::size_t per_repo_max = 64;
  std::uint64_t bytes_per_repo_max = 256ULL << 20;
  std::size_t max = 1'024;
  std::uint64_t bytes_max = 2ULL << 30;
  std::size_t in_pr_repositories_max = 1'024;
  std::uint64_t bytes_in_pr_repositories_max = 1ULL << 30;
};

struct Upload {
  std::string token;  // of its quarantine
  Coordinate repo;
  nostr::EventId event;
  git::Oid commit;
  std::uint64_t bytes = 0;
  core::UnixSeconds expires = 0;
  bool in_pr_repository = false;  // then `repo` is a PR repository (grasp/pr_repository.h)
  core::IpAddress from = {};
};

class Uploads {
 public:
  explicit Uploads(const UploadLimits& limits) : limits_(limits) {}

  // Whoever would have to go for it (R3); nullopt: there is no space.
  std::optional<std::vector<std::string>> making_space(const Upload& newcomer) const;
  bool has_space(const Upload& newcomer) const { return making_space(newcomer).has_value(); }

  void put(Upload upload);
  std::optional<Upload> take(const std::string& token);
  std::vector<Upload> of(const nostr::EventId& event) const;
  // Into a hosted repository, for whatever event.
  std::vector<Upload> into(const Coordinate& repo) const;
  std::vector<Upload> due(core::UnixSeconds now) const;
  std::set<std::string> tokens() const;
  std::vector<Upload> all() const;
  std::size_t size() const { return uploads_.size(); }

 private:
  struct Pool {
    std::size_t uploads_max;
    std::uint64_t bytes_max;
    std::vector<const Upload*> uploads;
  };
  bool make_space_in(Pool pool, const Upload& newcomer, std::vector<std::string>& gone) const;
  Pool pool(const Upload& newcomer, bool of_the_repo) const;

  UploadLimits limits_;
  core::PersistentMap<std::string, Upload> uploads_;
  core::PersistentMap<nostr::EventId, core::PersistentSet<std::string>> by_event_;  // tokens
};

}  // namespace graspd::grasp
