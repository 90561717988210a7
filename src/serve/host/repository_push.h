// Where pushes are judged and carried out: between what a client asks for and what is signed.
//
//   R1  Branches and tags: the result must be the state that rules the repository
//       (git/authorize.h).
//   R2  refs/nostr/<event id>: the commit the event names, when the event is here; otherwise the
//       upload goes to quarantine until the event comes or its time is over.
//   R3  A push is accepted or refused as a whole.
//   R4  The pack is received beside the repository, without its lock; the decision is made again
//       before anything is moved into it.
//   R5  A ref whose object was lost is not there: it may be pushed again. So may all refs of a
//       repository that is known to have lost something.
//   R6  Branches and pull requests are commits; tags may be anything.
//   R7  Refs are moved by the alignment, not by the push: what is reported is what is there then.
#pragma once
#include "gitio/repository.h"
#include "serve/host/push_target.h"

namespace graspd::serve {

class RepositoryPush : public PushTarget {
 public:
  RepositoryPush(Hosting& hosting, Alignments& alignments)
      : hosting_(hosting), alignments_(alignments) {}

  std::string key(const grasp::Coordinate& repo) const override;
  std::filesystem::path path(const grasp::Coordinate& repo) const override;
  // An archive, or full.
  std::optional<std::string> closed(const grasp::Coordinate& repo) const override;
  // Why nothing more can be kept: quota, disk.
  std::optional<std::string> full(const grasp::Coordinate& repo) const;
  git::ReceiveLimits limits(const grasp::Coordinate& repo) const override;
  std::string beyond_quota(const grasp::Coordinate& repo) const override;
  std::optional<std::uint64_t> space(const grasp::Coordinate& repo,
                                     const Uploader& uploader) const override;
  grasp::BeingPushed being_pushed(const grasp::Coordinate& repo,
                                  const git::PushRequest& request) const override;
  PushCheck check(const grasp::Coordinate& repo, const git::PushRequest& request) override;
  std::vector<git::Result> deliver(const grasp::Coordinate& repo, const git::PushRequest& request,
                                   std::optional<gitio::Staging> staging) override;
  void failed(const grasp::Coordinate& repo) override { alignments_.push_failed(repo); }

 private:
  bool is_of_strangers(const grasp::Coordinate& repo, const git::PushRequest& request) const;
  git::CommandVerdict check_nostr(const grasp::Coordinate& repo, const git::Command& command,
                                  const gitio::Repository& repository, PushCheck& check);
  git::PushDecision check_branches(const grasp::Coordinate& repo, const git::Refs& current,
                                   std::span<const git::Command> commands);
  std::optional<std::string> take_in(const grasp::Coordinate& repo, const git::PushRequest& request,
                                     const PushCheck& check, gitio::Staging staging);
  std::vector<git::Result> outcome(const grasp::Coordinate& repo, const git::PushRequest& request,
                                   const PushCheck& check, std::string_view otherwise) const;

  Hosting& hosting_;
  Alignments& alignments_;
};

}  // namespace graspd::serve
