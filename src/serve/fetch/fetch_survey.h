// Which git data the repositories of an identifier lack, for which event, and where it may be
// found.
//
//   R1  For every waiting state: the objects it names that are missing from a repository the state
//       rules. One repository is enough, because alignment copies to the others; the author's own
//       comes first.
//   R2  For every waiting pull request: its commit, in the first repository it concerns.
//   R3  For every served repository: the objects its state names that are missing. Disks lose data.
//   R4  Sources are the clone URLs in the announcements of the members of the repository, and for
//       pull requests also their own. Never this server; only http and https.
//   R5  A waiting event also lacks data if its history has holes, which objects that arrived by
//       chance may have. The number of histories examined is limited. Served data was complete when
//       its refs were set; verification finds out whether it still is.
#pragma once
#include <string>
#include <vector>

#include "git/fetch_messages.h"
#include "serve/host/hosting.h"

namespace graspd::serve {

struct FetchWant {
  grasp::Coordinate coordinate;
  git::fetch::Wanted wanted;
};

// A GRASP server by its form: the path names a key and a repository, and the announcement lists a
// relay at the same place.
git::fetch::Source fetch_source_of(const git::FetchUrl& url,
                                   const std::vector<std::string>& relays);
std::vector<git::fetch::Source> fetch_sources_of(const std::vector<std::string>& clone,
                                                 const std::vector<std::string>& relays,
                                                 const grasp::Service& own);

// Of a repository, the owner's first.
std::vector<git::fetch::Source> fetch_sources_of(const grasp::PolicySnapshot& policy,
                                                 const grasp::Coordinate& coordinate,
                                                 const grasp::Service& own);

// Everything that waits or is served, whether it is missing or not.
std::vector<FetchWant> fetch_wants(const grasp::PolicySnapshot& policy,
                                   const store::EventStore& store,
                                   const grasp::Identifier& identifier, const grasp::Service& own);

// Of those, what is missing. Blocks: looks into the repositories.
std::vector<FetchWant> survey(Hosting& hosting, const grasp::Identifier& identifier,
                              const grasp::Service& own);

}  // namespace graspd::serve
