// Reads what an earlier run left into the policy's state.
//
// Rule numbers are those of grasp/policy.h.
#pragma once
#include <set>
#include <string>

#include "grasp/policy_state.h"

namespace graspd::grasp {

class PolicyLoader {
 public:
  PolicyLoader(PolicyState& state, const store::EventStore& store)
      : state_(state), store_(store), relisting_(state.relisting), owed_(state.owed) {}

  core::Result<core::Done, store::StoreError> load(core::UnixSeconds now);

 private:
  core::Result<core::Done, store::StoreError> load_kind(const store::Snapshot& here,
                                                        nostr::Kind kind, core::UnixSeconds now);
  core::Result<core::Done, store::StoreError> load_requests(const store::Snapshot& here,
                                                            core::UnixSeconds now);
  void find_stranded(const std::string& known_service);
  void load_announcement(const nostr::Event& event, std::string_view json, Transition& changes);
  bool load_withheld(std::string_view json, const store::Snapshot& here, core::UnixSeconds now);
  bool load_note(std::string_view key, std::string_view value, core::UnixSeconds now);
  void drop_settled(const store::Snapshot& here, core::UnixSeconds now);
  core::Result<core::Done, store::StoreError> forget_what_is_ahead(const store::Snapshot& here,
                                                                   core::UnixSeconds now);
  nostr::WireEventPtr newest_before(const history::Past& gone, const store::Snapshot& here,
                                    core::UnixSeconds now) const;
  void restore_before(const nostr::Event& ahead, const store::Snapshot& here,
                      core::UnixSeconds now);

  PolicyState& state_;
  const store::EventStore& store_;
  Transition& relisting_;  // R7, R13
  Transition& owed_;
  std::set<nostr::EventId> ahead_;  // R13
};

// The operator may have changed what is welcome: nothing stays out because of what was.
void forget_other_rules(PolicyState& state, const std::string& known_rules, Transition& owed);

}  // namespace graspd::grasp
