// git's smart HTTP protocol for the repositories that are hosted here, and for trays.
//
//   R1  A repository is looked up in the catalog; a path is never made from a request.
//   R2  Bodies are streamed both ways. Nothing is larger in memory than a chunk.
//   R3  Git processes are limited over all and per client; who waits too long gets 503 with
//       Retry-After.
//   R4  An answer is not cached by anybody.
#pragma once
#include <memory>
#include <optional>

#include "grasp/repository_card.h"
#include "http/base_path.h"
#include "net/exchange.h"
#include "serve/git_child.h"
#include "serve/git_meters.h"
#include "serve/git_route.h"
#include "serve/git_slots.h"
#include "serve/grasp_host.h"

namespace graspd::serve {

struct GitServerOptions {
  http::BasePath mount;
  bool trays = false;  // GRASP-06
  GitSlotLimits slots;
  std::vector<core::Cidr> trusted_proxies;
  std::uint64_t fetch_body_bytes_max = 64ULL << 20;  // the wants and haves of the largest fetches
  core::Duration body_idle_max = std::chrono::seconds(60);
  core::Duration silence_max = std::chrono::minutes(10);
  core::Duration progress_interval{5'000};
  // The page of a repository; nullopt: there is none at that address.
  std::function<http::Response(const std::optional<grasp::RepositoryCard>& card,
                               std::string_view path)>
      page;
  // How the git data of a repository fares; empty: nobody looks after it.
  std::function<std::optional<grasp::GitHealth>(const grasp::Coordinate& view)> health;
};

class GitServer {
 public:
  GitServer(GitServerOptions options, GraspHost& host, net::Server& server);

  // Requests for a repository, its page among them.
  std::optional<net::StreamOptions> streams(const http::Request& request) const;
  net::Task<void> exchange(std::shared_ptr<net::Exchange> exchange);

  GitMeters& meters() { return meters_; }
  const GitSlots& slots() const { return slots_; }

 private:
  std::uint64_t push_bytes_max() const;
  std::optional<GitRoute> route(const http::Request& request) const;
  net::Task<bool> serve(std::shared_ptr<net::Exchange> exchange, GitRoute route);
  net::Task<bool> has_repository(GitRoute route);
  PushTarget& target(const GitRoute& route);
  std::filesystem::path path(const GitRoute& route);
  net::Task<bool> advertise(std::shared_ptr<net::Exchange> exchange, GitRoute route);
  net::Task<void> show_page(std::shared_ptr<net::Exchange> exchange);
  std::optional<grasp::RepositoryCard> card(const grasp::Coordinate& view);
  net::Task<bool> upload(std::shared_ptr<net::Exchange> exchange, GitRoute route);

  const GitServerOptions options_;
  GraspHost& host_;
  GitMeters meters_;
  GitSlots slots_;
};

// Shared with the exchange of a push.
http::Response git_head(std::string_view content_type);
http::Response git_busy();

}  // namespace graspd::serve
