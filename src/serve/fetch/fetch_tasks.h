// Runs the commands that the fetch scheduler asks for, on threads of low priority.
//
//   R1  Fetched data is treated like pushed data: quarantine, the repository's lock, alignment. A
//       remote moves no ref. Nothing is fetched into a repository that may not be written to.
//   R2  The plan is told how every command ended, also of one that was stopped.
#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "git/fetch_messages.h"
#include "gitio/fetch_options.h"
#include "gitio/remote_refs.h"
#include "serve/fetch/fetch_plan.h"
#include "serve/host/grasp_host.h"
#include "serve/runtime/workers.h"

namespace graspd::serve {

class FetchTasks {
 public:
  FetchTasks(gitio::FetchOptions fetch, gitio::RemoteRefsOptions read, GraspHost& host,
             FetchPlan& plan)
      : fetch_(std::move(fetch)), read_(std::move(read)), host_(host), plan_(plan) {}

  void open(std::size_t threads);
  void stop_all();  // what runs and what is yet to be started
  void close();     // waits for them

  void start(const git::fetch::ReadAdvertisement& action);
  void start(const git::fetch::Fetch& action);
  void stop(git::fetch::Attempt attempt);

 private:
  std::stop_token begin(git::fetch::Attempt attempt);
  void end(git::fetch::Attempt attempt, const git::fetch::Input& answer);

  git::fetch::AdvertisementRead read(const git::fetch::ReadAdvertisement& action,
                                     const std::stop_token& stop) const;
  git::fetch::Fetched fetch(const git::fetch::Fetch& action, const std::stop_token& stop);
  core::Result<gitio::FetchOptions, std::string> limits(const git::fetch::Fetch& action,
                                                        const grasp::Coordinate& coordinate) const;
  std::optional<std::string> take_in(const grasp::Coordinate& coordinate, gitio::Staging staging,
                                     const std::vector<git::Oid>& came);
  std::vector<git::Oid> arrived(const git::fetch::RepoKey& repo,
                                const grasp::Coordinate& coordinate,
                                std::vector<git::Oid> came) const;

  const gitio::FetchOptions fetch_;
  const gitio::RemoteRefsOptions read_;
  GraspHost& host_;
  FetchPlan& plan_;
  std::mutex mutex_;  // of the next two
  std::map<git::fetch::Attempt, std::stop_source> stops_;
  bool stopping_ = false;
  std::optional<Workers> workers_;
};

}  // namespace graspd::serve
