// Where pushes are judged and carried out: between what a client asks for and what is signed.
//
//   R1  Branches and tags: the result must be the state that rules the view (git/authorize.h).
//   R2  refs/nostr/<event id>: the commit the event names, when the event is here; otherwise the
//       upload goes to quarantine until the event comes or its time is over.
//   R3  A push is accepted or refused as a whole.
//   R4  The pack is received beside the view, without its lock; the decision is made again before
//       anything is moved into it.
//   R5  A ref whose object was lost is not there: it may be pushed again.
//   R6  Refs are moved by the settlement, not by the push: what is reported is what is there then.
#pragma once
#include <string>
#include <vector>

#include "git/push_request.h"
#include "git/report.h"
#include "gitio/staging.h"
#include "serve/family_settlement.h"
#include "serve/hosting.h"

namespace graspd::serve {

struct PushCheck {
  std::vector<git::CommandVerdict> verdicts;  // in the order of the commands
  std::vector<git::Oid> signed_tips;          // that a signed event names
  std::vector<git::Command> unsigned_refs;    // R2

  bool accepted() const;
  bool nothing_to_do() const;  // all results are there already
  std::vector<git::Result> refusals(const git::PushRequest& request) const;
};

class PushDesk {
 public:
  // What a settlement leaves to be done, for whoever has time.
  using FollowUp =
      std::function<void(const grasp::Identifier& identifier, FamilySettlement::Result result)>;

  PushDesk(Hosting& hosting, FollowUp follow_up)
      : hosting_(hosting), follow_up_(std::move(follow_up)) {}

  // Why no push at all can be taken now: an archive, or full.
  std::optional<std::string> closed(const grasp::Coordinate& view) const;
  // Why nothing more can be kept: quota, disk.
  std::optional<std::string> full(const grasp::Coordinate& view) const;

  // All block: for worker threads.
  git::ReceiveLimits limits(const grasp::Coordinate& view) const;  // with what the quota leaves
  std::vector<git::Oid> unknown(const grasp::Coordinate& view,
                                const std::vector<git::Oid>& oids) const;
  PushCheck check(const grasp::Coordinate& view, const git::PushRequest& request);
  // After the pack is in `staging` (none when there was nothing to send).
  std::vector<git::Result> deliver(const grasp::Coordinate& view, const git::PushRequest& request,
                                   std::optional<gitio::Staging> staging);

 private:
  git::CommandVerdict check_nostr(const grasp::Coordinate& view, const git::Command& command,
                                  const git::Refs& current, PushCheck& check);
  git::PushDecision check_branches(const grasp::Coordinate& view, const git::Refs& current,
                                   std::span<const git::Command> commands);
  std::optional<std::string> take_in(const grasp::Coordinate& view, const PushCheck& check,
                                     gitio::Staging staging);
  std::optional<std::string> quarantine(const grasp::Coordinate& view, const git::Command& command,
                                        gitio::Staging& staging);
  std::vector<git::Result> outcome(const grasp::Coordinate& view, const git::PushRequest& request,
                                   const PushCheck& check) const;

  Hosting& hosting_;
  const FollowUp follow_up_;
};

}  // namespace graspd::serve
