// What the operator sets about the events and repositories that are taken.
#pragma once
#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "grasp/access_list.h"
#include "grasp/archive.h"
#include "grasp/catalog.h"
#include "grasp/deletion_requests.h"
#include "grasp/orphan_pool.h"
#include "grasp/purgatory.h"
#include "grasp/rejected_ids.h"
#include "grasp/service.h"
#include "grasp/stranger_pool.h"
#include "nostr/relay_url.h"

namespace graspd::grasp {

// Whom and what the operator welcomes or refuses.
struct AccessLists {
  AccessList repository_whitelist, repository_blacklist, event_blacklist, archive_whitelist;
};

struct PolicyOptions {
  Service service;
  // Names under which this service was announced before. Announcements that list one of them list
  // us. `lets_former_go`: what lists the service of the last run, and not this one, may go out of
  // service.
  std::vector<Service> former_services = {};
  bool lets_former_go = false;
  std::optional<nostr::RelayUrl> relay;  // as clients call it, for requests to vanish
  nostr::PublicKey operator_key;
  Membership membership = Membership::Compatible;
  AccessList repository_whitelist, repository_blacklist, event_blacklist;
  // GRASP-08: the members of a private service; nullopt: the service is public.
  std::optional<std::set<nostr::PublicKey>> members;
  Archive archive;
  bool pr_repositories = false;  // GRASP-06: pull requests for repositories that others host
  PurgatoryLimits purgatory;
  // Repositories not known here that one relay may bring by sync in a day, whether their git data
  // comes or not; 0: no limit. As many as may wait at a time: a server that archives learns of some
  // thousands from each relay it follows, and each of them costs a look for git data.
  std::size_t new_repositories_per_relay = 5'000;
  std::set<nostr::RelayUrl> trusted_relays;  // that bring any number: the operator named them
  OrphanPoolLimits orphan_pool;
  RejectedLimits rejected;
  // How long a refused event is kept whole at the least. What lacks nothing that could come is not
  // kept at all, and the rest has the waiting space's patience if that is longer.
  core::UnixSeconds rejected_whole = 120;
  core::UnixSeconds removal_grace = 90 * 24 * 3600;  // grasp/policy.h R5
  RequestRetention requests;
  // Requests to delete and to vanish are stored, and nobody obeys them.
  bool ignores_requests = false;
  // Of one announcement, and of one repository by all announcements that reach each other. Real
  // projects have a handful; every key costs whenever one of the announcements changes.
  std::size_t listed_max = 64;
  std::size_t members_max = Catalog::kMembersMax;
  StrangerLimits stranger_requests, stranger_lists;  // grasp/policy.h R14
  core::UnixSeconds created_at_ahead = 0;            // grasp/policy.h R13; 0: no limit
};

}  // namespace graspd::grasp
