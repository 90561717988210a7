// For tests of the fetcher: a repository, a remote, and what came of fetching from it.
#pragma once
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stop_token>
#include <string_view>
#include <vector>

#include "gitio/fetch_testing.h"
#include "gitio/fetcher.h"
#include "gitio/process.h"
#include "gitio/repositories_testing.h"

namespace graspd::gitio::testing {

using Oids = std::vector<git::Oid>;

class Fetching : public ::testing::Test {
 protected:
  const TemporaryFolder folder;
  const std::filesystem::path root = folder.path() / "git";
  const std::filesystem::path repo = make_repository(root / "npub" / "a.git");
  const std::filesystem::path sites = folder.path() / "site";
  const std::filesystem::path remote = make_repository(sites / "a.git");
  const git::Oid nowhere = oid("1111111111111111111111111111111111111111");
  FetchOptions options;

  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);  // these two as the server has it
    adopt_orphans();
    options.allow_private_addresses = true;
    options.tick = std::chrono::milliseconds(10);
  }
  void TearDown() override { EXPECT_TRUE(is_clean()); }  // R4

  static git::FetchUrl url_of(const HttpServer& server, std::string_view host = "127.0.0.1") {
    return *git::FetchUrl::parse(fmt::format("http://{}:{}/a.git", host, server.port()));
  }
  core::Result<Fetched, FetchTrouble> fetched(const HttpServer& server, const Oids& wants,
                                              std::stop_token stop = {}) const {
    return fetch({url_of(server), root, repo, wants}, options, stop);
  }
  git::FetchFailure failure(const HttpServer& server) const {
    const auto result = fetched(server, {nowhere});
    CHECK(!result);
    return result.error().error.failure;
  }
  bool is_clean() const {
    std::error_code none;
    return std::filesystem::is_empty(root / ".graspd" / "incoming", none) || none;
  }
  // Answers the discovery as git does and what follows with `then`.
  HttpServer::Handler after_discovery(HttpServer::Handler then) const {
    return [then, this](const HttpPeer& peer, const HttpRequest& request) {
      if (request.method == "GET") return serving(sites)(peer, request);
      then(peer, request);
    };
  }
};

}  // namespace graspd::gitio::testing
