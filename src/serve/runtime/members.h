// Who is a member of this private service, asked and changed from any thread.
//
//   R1  An answer is that of the newest change.
//   R2  Everybody who listens is told of a change when it already counts, on the thread that made
//       it, one change at a time. After close() nobody is told any more.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "relay/member_set.h"

namespace graspd::serve {

class Members {
 public:
  explicit Members(relay::MemberSet members)
      : members_(std::make_shared<const relay::MemberSet>(std::move(members))) {}

  bool contains(const nostr::PublicKey& key) const { return now()->contains(key); }
  std::shared_ptr<const relay::MemberSet> now() const;

  void use_named(relay::Keys named);
  void use_derived(relay::Keys derived);

  using Listener = std::function<void()>;
  void listen(Listener listener);
  void close();

 private:
  template <class Change>
  void change(const Change& change);

  std::mutex changing_;  // held while a change is made and told
  std::vector<Listener> listeners_;
  mutable std::mutex mutex_;
  std::shared_ptr<const relay::MemberSet> members_;
};

}  // namespace graspd::serve
