// Which git data the repositories of an identifier lack, for what, and where it may be found.
//
//   R1  For every state that waits: what it names and is not in a view that the state rules. One
//       view is enough, the alignment copies to the others; the owner's own come first.
//   R2  For every pull request that waits: its commit, in the first view it concerns.
//   R3  For every view that is served: what its state names and is not there. Disks forget.
//   R4  Sources are the clone URLs in the announcements of those who have a say in the view, and
//       for pull requests their own. Never ours; only http and https.
//   R5  What waits is missing when its history has holes, too: what came along unasked may. So many
//       histories are looked into and no more. What is served was whole when its refs were set;
//       whether it still is, verification finds out.
#pragma once
#include <string>
#include <vector>

#include "git/fetch_messages.h"
#include "serve/host/hosting.h"

namespace graspd::serve {

struct FetchWant {
  grasp::Coordinate view;
  git::fetch::Wanted wanted;
};

// A GRASP server by its form: the path names a key and a repository, and the announcement lists a
// relay at the same place.
git::fetch::Source fetch_source_of(const git::FetchUrl& url,
                                   const std::vector<std::string>& relays);
std::vector<git::fetch::Source> fetch_sources_of(const std::vector<std::string>& clone,
                                                 const std::vector<std::string>& relays,
                                                 const grasp::Service& own);

// Of a view, the owner's first.
std::vector<git::fetch::Source> fetch_sources_of(const grasp::Policy& policy,
                                                 const grasp::Coordinate& view,
                                                 const grasp::Service& own);

// Everything that waits or is served, whether it is missing or not.
std::vector<FetchWant> fetch_wants(const grasp::Policy& policy, const grasp::Identifier& identifier,
                                   const grasp::Service& own);

// Of those, what is missing. Blocks: looks into the repositories.
std::vector<FetchWant> survey(Hosting& hosting, const grasp::Identifier& identifier,
                              const grasp::Service& own);

}  // namespace graspd::serve
