// git's smart HTTP protocol for the repositories that are hosted here, and for pr_repositories.
//
//   R1  A repository is looked up in the catalog; a path is never made from a request.
//   R2  Bodies are streamed both ways. Nothing is larger in memory than a chunk, and the beginning
//       of a request's body (held_body.h).
//   R3  Git processes are limited over all and per client; who waits too long gets 503 with
//       Retry-After. One is asked for when there is work for it: a fetch has said what it wants,
//       the pack of a push has begun. Advertisements have slots of their own.
//   R4  An answer is not cached by anybody.
//   R5  Data that is lost is not served as an empty repository (git_gate.h).
//   R6  A client that sends its body, or reads the answer, more slowly than `rate_min` is cut off;
//       where no answer has begun, by a 408.
//   R7  On a private service nothing is looked up and no body is read before the client has proved
//       to be a member (member_gate.h). A redirect to the address with `.git` is the exception: it
//       follows from the path alone.
#pragma once
#include <memory>
#include <optional>

#include "grasp/repository_card.h"
#include "http/base_path.h"
#include "net/exchange.h"
#include "serve/git/git_bounds.h"
#include "serve/git/git_child.h"
#include "serve/git/git_meters.h"
#include "serve/git/git_route.h"
#include "serve/git/git_slots.h"
#include "serve/git/held_body.h"
#include "serve/git/member_gate.h"
#include "serve/host/data_inspector.h"
#include "serve/host/grasp_host.h"

namespace graspd::serve {

struct GitServerOptions {
  http::BasePath mount;
  bool pr_repositories = false;  // GRASP-06
  GitSlotLimits slots;
  // A kilobyte a second is less than a modem carried. Whoever occupies a slot has to move that.
  net::MinimumRate rate_min{1'024, std::chrono::seconds(60)};
  std::size_t held_body_bytes_max = 256ULL << 20;  // of all requests: thousands of whole fetches
  GitMemory memory;                                // its budget is that of the slots
  std::vector<core::Cidr> trusted_proxies;
  std::uint64_t fetch_body_bytes_max = 64ULL << 20;  // the wants and haves of the largest fetches
  core::Duration silence_max = std::chrono::minutes(10);
  core::Duration progress_interval{5'000};
  // The page of a repository; nullopt: there is none at that address.
  std::function<http::Response(const std::optional<grasp::RepositoryCard>& card,
                               std::string_view path)>
      page;
  std::shared_ptr<MemberGate> members;  // R7; nullptr: everybody may come
  DataInspector* inspector = nullptr;   // R5; nullptr: nobody looks after git data
};

class GitServer {
 public:
  GitServer(GitServerOptions options, GraspHost& host, net::Server& server);

  // Requests for a repository, its page among them.
  std::optional<net::StreamOptions> streams(const http::Request& request) const;
  net::Task<void> exchange(std::shared_ptr<net::Exchange> exchange);

  GitMeters& meters() { return meters_; }
  const GitSlots& slots() const { return slots_; }
  const GitSlots& advertisement_slots() const { return advertisement_slots_; }

 private:
  std::uint64_t push_bytes_max() const;
  std::optional<GitRoute> route(const http::Request& request) const;
  net::Task<bool> serve(std::shared_ptr<net::Exchange> exchange, GitRoute route);
  PushTarget& target(const GitRoute& route);
  std::filesystem::path path(const GitRoute& route);
  net::Task<bool> advertise(std::shared_ptr<net::Exchange> exchange, GitRoute route);
  // To the address with `.git`, when only that is missing.
  std::optional<http::Response> moved(const http::Request& request) const;
  net::Task<std::shared_ptr<net::Exchange>> admit(std::shared_ptr<net::Exchange> exchange);
  net::Task<void> show_page(std::shared_ptr<net::Exchange> exchange);
  std::optional<grasp::RepositoryCard> card(const grasp::Coordinate& repo);
  net::Task<bool> advertise_in_turn(std::shared_ptr<net::Exchange> exchange, GitRoute route,
                                    core::IpAddress client);
  net::Task<bool> upload_in_turn(std::shared_ptr<net::Exchange> exchange, GitRoute route,
                                 core::IpAddress client);
  net::Task<bool> upload(std::shared_ptr<net::Exchange> exchange, GitRoute route,
                         std::shared_ptr<HeldBody> body, const git::Bounds& bounds,
                         GitSlots::Slot* slot);
  net::Task<bool> refuse_filter(std::shared_ptr<net::Exchange> exchange);
  net::Task<bool> send_away(std::shared_ptr<net::Exchange> exchange);

  const GitServerOptions options_;
  GraspHost& host_;
  GitMeters meters_;
  HeldBytes held_;
  GitSlots slots_, advertisement_slots_;
};

// Shared with the exchange of a push.
http::Response git_head(std::string_view content_type);
http::Response git_busy();
// To a client whose body failed to read.
http::Response git_body_failed(net::NetError why);

}  // namespace graspd::serve
