// Pushes into PR repositories (GRASP-06): pull requests for repositories that other servers host.
//
//   R1  Only refs/nostr/<event id>.
//   R2  When the event is here, it must be for this PR repository and name the commit
//       (grasp/pr_repository.h).
//   R3  When it is not, the upload waits in quarantine, alone and for so long; nobody sees it. Then
//       it goes into the PR repository if the event is for it, and otherwise away.
//   R4  What is in a PR repository is also copied into the repositories hosted here that the pull
//       request is about; the alignment does that. Nothing is copied the other way.
//   R5  Every refusal says that it is about GRASP-06.
#pragma once
#include "serve/host/push_target.h"

namespace graspd::serve {

class PrPush : public PushTarget {
 public:
  PrPush(Hosting& hosting, Alignments& alignments) : hosting_(hosting), alignments_(alignments) {}

  std::string key(const grasp::Coordinate& pr_repository) const override;
  std::filesystem::path path(const grasp::Coordinate& pr_repository) const override;
  std::optional<std::string> closed(const grasp::Coordinate& pr_repository) const override;
  std::optional<std::uint64_t> space(const grasp::Coordinate& pr_repository,
                                     const Uploader& uploader) const override;
  git::ReceiveLimits limits(const grasp::Coordinate& pr_repository) const override;
  std::string beyond_quota(const grasp::Coordinate& pr_repository) const override;
  std::vector<git::Result> refuse(const git::PushRequest& request,
                                  const std::string& reason) const override;
  std::string refusal(const std::string& reason) const override;
  PushCheck check(const grasp::Coordinate& pr_repository, const git::PushRequest& request) override;
  std::vector<git::Result> deliver(const grasp::Coordinate& pr_repository,
                                   const git::PushRequest& request,
                                   std::optional<gitio::Staging> staging) override;
  void failed(const grasp::Coordinate&) override {}  // nobody fetches for a PR repository

 private:
  git::CommandVerdict judge(const grasp::Coordinate& pr_repository, const git::Command& command,
                            PushCheck& check) const;
  std::optional<std::string> take_in(const grasp::Coordinate& pr_repository,
                                     const git::PushRequest& request, const PushCheck& check,
                                     gitio::Staging staging);
  std::vector<git::Result> outcome(const grasp::Coordinate& pr_repository,
                                   const git::PushRequest& request, const PushCheck& check) const;

  Hosting& hosting_;
  Alignments& alignments_;
};

}  // namespace graspd::serve
