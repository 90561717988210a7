// What follows from decisions once they are durable, handed to those who do it.
#include "core/log.h"
#include "gitio/staging.h"
#include "serve/host/grasp_host.h"

namespace graspd::serve {

// Visits one change after the other. What is done for several at once is collected and handed over
// at the end.
class GraspHost::Performance {
 public:
  explicit Performance(GraspHost& host) : host_(host) {}

  // They belong to a transaction, and whoever performs has taken them out.
  void operator()(const store::Note&) { CHECK(false); }
  void operator()(const store::Remove&) { CHECK(false); }
  void operator()(const store::Restore&) { CHECK(false); }
  void operator()(const store::Revoke&) { CHECK(false); }

  void operator()(grasp::AlignGroup& align) { groups_.insert(std::move(align.identifier)); }
  void operator()(const grasp::RemoveRepository& remove) {
    host_.maintenance_.post([host = &host_, view = remove.coordinate] {
      host->remove_unless_open(view);
      host->thread_archive_.post(
          [host, view] { host->end_threads({view, {}}, Threads::Forgotten); });
    });
  }
  void operator()(grasp::DropPullRefs& drop) {
    pulls_.push_back(drop.pull);
    pulls_in_.merge(drop.in);
    pulls_by_.insert(drop.author);
  }
  void operator()(const grasp::DiscardUpload& upload) {
    host_.maintenance_.post([root = host_.options_.hosting.root, token = upload.token] {
      if (auto staging = gitio::Staging::reopen(root, token)) staging->discard();
    });
  }
  void operator()(const grasp::ArchiveThreads& threads) {
    host_.thread_archive_.post(
        [host = &host_, gone = threads.gone] { host->end_threads(gone, Threads::Kept); });
  }
  void operator()(const grasp::RestoreThreads& threads) {
    host_.thread_archive_.post(
        [host = &host_, back = threads.coordinate] { host->recall_threads(back); });
  }
  void operator()(const grasp::ForgetThreads& threads) {
    host_.thread_archive_.post(
        [host = &host_, lost = threads.coordinate] { host->lose_threads(lost); });
  }
  void operator()(grasp::Retry& retry) { retries_.push_back(std::move(retry)); }
  void operator()(const grasp::AskAgain& ask) { wanted_[ask.relay].push_back(ask.id); }

  void finish() {
    for (const grasp::Identifier& identifier : groups_) host_.alignments_.post(identifier);
    if (!pulls_.empty())
      host_.workers_.post([host = &host_, ids = std::move(pulls_), in = std::move(pulls_in_),
                           by = std::move(pulls_by_)] {
        host->drop_pull_refs(ids, in);
        for (const grasp::Identifier& identifier : in)
          for (const nostr::PublicKey& author : by)
            host->hosting_.pr_repositories.drop({author, identifier}, ids);
      });
    host_.tell_wanted(wanted_);
    host_.retry(std::move(retries_));
  }

 private:
  GraspHost& host_;
  std::set<grasp::Identifier> groups_;
  std::vector<nostr::EventId> pulls_;
  std::set<grasp::Identifier> pulls_in_;
  std::set<nostr::PublicKey> pulls_by_;
  WantedIds wanted_;
  std::vector<grasp::Retry> retries_;
};

void GraspHost::perform(grasp::Transition changes) {
  Performance performance(*this);
  for (grasp::Change& change : changes.take()) std::visit(performance, change);
  performance.finish();
}

}  // namespace graspd::serve
