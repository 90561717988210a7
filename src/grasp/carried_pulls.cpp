#include "grasp/carried_pulls.h"

#include <limits>

#include "nostr/json.h"

namespace graspd::grasp {
namespace {

nostr::Filter pulls_naming(const Coordinate& repo, const Authority& authority) {
  nostr::Filter filter;
  filter.kinds = {{kinds::kPullRequest, kinds::kPullRequestUpdate}};
  std::vector<std::string> named{repo.announcement_address().text()};
  for (const nostr::PublicKey& member : authority.members)
    named.push_back(Coordinate{member, repo.identifier}.announcement_address().text());
  filter.tags = {{'a', std::move(named)}};
  nostr::normalise(filter);
  return filter;
}

}  // namespace

core::Result<std::vector<PullRequest>, store::StoreError> carried_pulls(const Coordinate& repo,
                                                                        const Authority& authority,
                                                                        const store::Snapshot& here,
                                                                        core::UnixSeconds now,
                                                                        std::size_t max) {
  nostr::Filter filter = pulls_naming(repo, authority);
  filter.limit = max;  // R1
  store::Cursor cursor({std::move(filter)}, std::numeric_limits<store::Serial>::max());
  std::vector<PullRequest> pulls;
  const auto visit = [&](const store::Found& found) {
    const auto event = nostr::JsonReader().event(found.json);
    if (!event) return;
    auto pull = parse_pull_request(*event);
    if (pull.commit) pulls.push_back(std::move(pull));  // R2
  };
  for (;;) {
    const auto read = here.read(cursor, {}, now, visit);
    if (!read) return core::Failure{read.error()};
    if (*read == store::ReadState::Finished) return pulls;
  }
}

}  // namespace graspd::grasp
