#include "gitio/fetcher.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <unistd.h>
#include <utility>

#include "git/fetch_command.h"
#include "gitio/connectivity.h"
#include "gitio/fetch_address.h"
#include "gitio/fetch_process.h"
#include "gitio/missing.h"
#include "gitio/object_files.h"
#include "gitio/remote_refs.h"

namespace graspd::gitio {

namespace {

using git::FetchError;
using git::FetchFailure;
using Oids = std::vector<git::Oid>;

// Unique while we live; what an earlier process left under the same name was swept at start.
std::string next_token() {
  static std::atomic<std::uint64_t> count{0};
  return fmt::format("fetch-{}-{}", ::getpid(), ++count);
}

class Attempt {
 public:
  Attempt(const FetchRequest& request, const FetchOptions& options, const std::stop_token& stop)
      : request_(request),
        options_(options),
        stop_(stop),
        wants_(request.wants.begin(), request.wants.end()) {}

  core::Result<Fetched, FetchTrouble> run() {
    auto addresses = permitted_addresses(request_.url, options_);
    if (!addresses) return trouble(std::move(addresses).error());
    auto staging = Staging::create(request_.root, request_.repo, next_token());
    if (!staging) return trouble(our_fault(std::move(staging).error()));
    target_ = {request_.url, *std::move(addresses), options_.extra_ca_file, options_.memory_max};
    while (!wants_.empty()) {
      const Conversation conversation = talk(*staging);
      if (conversation.good()) return conclude(*std::move(staging));
      if (conversation.ended_by || conversation.talk.refused().empty())
        return trouble(conversation.error(request_.url.is_tls(), true));
      if (auto error = drop(conversation.talk.refused())) return trouble(*std::move(error));
    }
    return trouble({FetchFailure::Lacks, "the remote has none of what is wanted", 0, {}});
  }

 private:
  static FetchError our_fault(std::string text) {
    return {FetchFailure::OurFault, std::move(text), 0, std::nullopt};
  }

  git::CommandLine command(const Staging& staging) {
    if (options_.access) target_->authorization = options_.access(request_.url).authorization;
    const auto known = request_.refetch ? git::Known::Nothing : git::Known::WhatRefsReach;
    return git::fetch_objects(staging.path().string(), *target_, known);
  }

  Conversation talk(const Staging& staging) {
    ++commands_, ++fetches_;
    const Watch watch{.silence_max = options_.silence_max,
                      .deadline = options_.deadline,
                      .bytes = [&] { return object_bytes(staging.path()); },
                      .bytes_max = options_.pack_bytes_max};
    return converse(command(staging), Oids(wants_.begin(), wants_.end()), watch, options_, stop_);
  }

  // R2. The last try is made with what the remote says it has.
  std::optional<FetchError> drop(const std::set<git::Oid>& refused) {
    for (const git::Oid& oid : refused) take_off(oid);
    if (wants_.empty() || fetches_ + 1 < options_.tries_max) return std::nullopt;
    if (fetches_ + 1 == options_.tries_max) return keep_advertised();
    return FetchError{FetchFailure::Lacks, "the remote refuses one want after the other", 0, {}};
  }

  std::optional<FetchError> keep_advertised() {
    ++commands_;
    RemoteRefsOptions options;
    const RemoteOptions& remote_options = options_;
    static_cast<RemoteOptions&>(options) = remote_options;
    auto remote = read_remote_refs(request_.url, options, stop_);
    if (!remote) return std::move(remote).error();
    std::set<git::Oid> advertised;
    for (const auto& [ref, oid] : remote->refs) advertised.insert(oid);
    for (const git::Oid& oid : Oids(wants_.begin(), wants_.end()))
      if (!advertised.contains(oid)) take_off(oid);
    return std::nullopt;
  }

  void take_off(const git::Oid& oid) {
    if (wants_.erase(oid) > 0) lacked_.insert(oid);
  }

  // git says that all went well; what counts is what is there. A remote may call itself shallow,
  // and git does not look beyond where it says so.
  core::Result<Fetched, FetchTrouble> conclude(Staging staging) {
    const Oids came(wants_.begin(), wants_.end());
    const auto absent = missing(staging.path(), came);
    if (!absent) return trouble(our_fault(absent.error()));
    if (!absent->empty())
      return trouble({FetchFailure::Corrupt, "the remote did not send what it promised", 0, {}});
    std::error_code ignored;
    std::filesystem::remove(staging.path() / "shallow", ignored);
    const auto whole = is_connected(staging.path(), came, options_.deadline);
    if (!whole) return trouble(our_fault(whole.error()));
    if (!*whole)
      return trouble({FetchFailure::Corrupt, "the history that the remote sent has holes", 0, {}});
    const std::uint64_t bytes = staging.bytes();
    if (bytes > options_.pack_bytes_max)
      return trouble({FetchFailure::TooLarge, "more bytes than allowed", 0, {}});
    return Fetched{std::move(staging), came, Oids(lacked_.begin(), lacked_.end()), bytes,
                   commands_};
  }

  core::Failure<FetchTrouble> trouble(FetchError error) const {
    return {FetchTrouble{std::move(error), Oids(lacked_.begin(), lacked_.end()), commands_}};
  }

  const FetchRequest& request_;
  const FetchOptions& options_;
  const std::stop_token& stop_;
  std::optional<git::FetchTarget> target_;
  std::set<git::Oid> wants_, lacked_;
  std::size_t fetches_ = 0, commands_ = 0;
};

}  // namespace

core::Result<Fetched, FetchTrouble> fetch(const FetchRequest& request, const FetchOptions& options,
                                          const std::stop_token& stop) {
  return Attempt(request, options, stop).run();
}

}  // namespace graspd::gitio
