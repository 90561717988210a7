#include "serve/host/transition_performer.h"

#include "core/check.h"

namespace graspd::serve {

// One function per type of change: a new type does not compile until somebody does it.
class TransitionPerformer::Visitor {
 public:
  Visitor(PerformerContext& context, Collected& collected)
      : context_(context), collected_(collected) {}

  // They belong to a transaction.
  void operator()(const store::Note&) { CHECK(false); }
  void operator()(const store::Remove&) { CHECK(false); }
  void operator()(const store::Restore&) { CHECK(false); }
  void operator()(const store::Revoke&) { CHECK(false); }

  void operator()(grasp::AlignGroup& align) {
    collected_.groups.insert(std::move(align.identifier));
  }
  void operator()(const grasp::RemoveRepository& remove) {
    context_.maintenance.remove(remove.coordinate,
                                [threads = &context_.threads, repository = remove.coordinate] {
                                  threads->remove({repository, {}});
                                });
  }
  void operator()(grasp::DropPullRefs& drop) {
    collected_.pulls.push_back(drop.pull);
    collected_.pulls_in.merge(drop.in);
    collected_.pulls_by.insert(drop.author);
  }
  void operator()(const grasp::DiscardUpload& upload) {
    context_.maintenance.discard_upload(upload.token);
  }
  void operator()(const grasp::ArchiveThreads& threads) { context_.threads.archive(threads.gone); }
  void operator()(const grasp::RestoreThreads& threads) {
    context_.threads.restore(threads.coordinate);
  }
  void operator()(const grasp::ForgetThreads& threads) {
    context_.threads.forget(threads.coordinate);
  }
  void operator()(grasp::Retry& retry) { collected_.retries.push_back(std::move(retry)); }
  void operator()(const grasp::AskAgain& ask) { collected_.wanted[ask.relay].push_back(ask.id); }

 private:
  PerformerContext& context_;
  Collected& collected_;
};

void TransitionPerformer::perform(grasp::Transition changes) {
  Collected collected;
  Visitor visitor(context_, collected);
  for (grasp::Change& change : changes.take()) std::visit(visitor, change);
  finish(std::move(collected));
}

void TransitionPerformer::finish(Collected collected) {
  for (const grasp::Identifier& identifier : collected.groups) context_.alignments.post(identifier);
  if (!collected.pulls.empty())
    context_.workers.post([pulls = &context_.pulls, hosting = &context_.hosting,
                           ids = std::move(collected.pulls), in = std::move(collected.pulls_in),
                           by = std::move(collected.pulls_by)] {
      pulls->drop_refs(ids, in);
      for (const grasp::Identifier& identifier : in)
        for (const nostr::PublicKey& author : by)
          hosting->pr_repositories.drop({author, identifier}, ids);
    });
  {
    std::lock_guard lock(wanted_mutex_);
    if (wanted_again_)
      for (const auto& [relay, ids] : collected.wanted) wanted_again_(relay, ids);
  }
  retry(std::move(collected.retries));
}

// They were refused once, and their senders know: nobody is answered.
void TransitionPerformer::retry(std::vector<grasp::Retry> retries) {
  using Intake = relay::Source::Intake;
  Hosting& hosting = context_.hosting;
  std::vector<Submission> submissions;
  std::vector<nostr::EventId> put_off;
  for (grasp::Retry& again : retries) {
    const nostr::WireEvent& wire = *again.event;
    if (hosting.is_low_on_disk() || !hosting.ingest->reserve(wire.json.size())) {
      put_off.push_back(wire.event.id);
      continue;
    }
    relay::Source source{
        again.origin.synced ? Intake::Sync : Intake::Client, {}, std::move(again.origin.relay)};
    submissions.push_back({wire.event, wire.json.size(), std::move(source), {}});
  }
  if (!submissions.empty()) hosting.ingest->submit(std::move(submissions));
  if (put_off.empty()) return;
  hosting.change([ids = std::move(put_off)](grasp::Policy& policy, core::UnixSeconds,
                                            const grasp::Transition&) {
    for (const nostr::EventId& id : ids) policy.put_off(id);
  });
}

void TransitionPerformer::on_wanted_again(WantedAgain callback) {
  std::lock_guard lock(wanted_mutex_);
  wanted_again_ = std::move(callback);
}

}  // namespace graspd::serve
