#include "serve/git/git_server.h"

#include <fmt/format.h>
#include <limits>

#include "core/log.h"
#include "git/advertisement.h"
#include "git/pkt_line.h"
#include "gitio/object_files.h"
#include "http/client_address.h"
#include "net/clock.h"
#include "net/later.h"
#include "serve/git/git_gate.h"
#include "serve/git/push_exchange.h"

// g++ 12 confuses the allocation of coroutine frames with that of other types when it inlines them.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace graspd::serve {
namespace {

using net::Exchange;

constexpr std::size_t kEmptyAdvertisementMax = 64;
// A fetch has done its thinking when it begins to send: from then on it needs what it has, and
// space for an object of core.bigFileThreshold, twice.
constexpr std::uint64_t kSendingBytes = 128ULL << 20;

http::Response not_found() { return http::text_response(404, "Git error: repository not found\n"); }

http::Response failed() {
  return http::text_response(500, "Git error: the repository cannot be read now\n");
}

git::Protocol protocol_of(const http::Request& request) {
  return git::parse_protocol(request.headers.get("Git-Protocol").value_or(""));
}

std::string_view service_of(GitAsk ask) {
  return ask == GitAsk::AdvertiseReceive ? "git-receive-pack" : "git-upload-pack";
}

GitOperation operation_of(GitAsk ask) {
  switch (ask) {
    case GitAsk::Upload:
      return GitOperation::Clone;
    case GitAsk::Receive:
    case GitAsk::AdvertiseReceive:
      return GitOperation::Push;
    case GitAsk::AdvertiseUpload:
    case GitAsk::Page:
    case GitAsk::Unknown:
      return GitOperation::Fetch;
  }
  CHECK(false);
}

// What goes through an exchange in both directions while git uploads.
class Upload {
 public:
  Upload(std::shared_ptr<Exchange> exchange, std::shared_ptr<HeldBody> body, GitMeters& meters)
      : exchange_(std::move(exchange)), body_(std::move(body)), meters_(meters) {}

  bool begun = false;
  std::uint64_t sent = 0;

  net::Task<bool> begin_once() {
    if (std::exchange(begun, true)) co_return true;
    auto head = git_head("application/x-git-upload-pack-result");
    co_return co_await exchange_->begin(std::move(head));
  }
  net::Task<std::optional<std::string_view>> read() { return body_->next(); }
  net::Task<bool> write(std::string_view bytes) {
    const bool open = co_await begin_once();
    if (!open) co_return false;
    sent += bytes.size();
    meters_.bytes_out += bytes.size();
    co_return co_await exchange_->write(bytes);
  }

 private:
  const std::shared_ptr<Exchange> exchange_;
  const std::shared_ptr<HeldBody> body_;
  GitMeters& meters_;
};

// A person reads this: one line, the first that git wrote.
std::string error_packet(const std::string& complaints) {
  std::string line = complaints.substr(0, complaints.find('\n'));
  if (line.empty()) line = "git failed";
  std::string packet;
  git::append_pkt(packet, "ERR " + line + "\n");
  return packet;
}

net::Task<std::optional<std::string_view>> no_input() { co_return std::string_view(); }

// Nothing but the flush of an empty repository is shorter than a line with a ref: it is held back
// until it is whole.
struct Opening {
  std::shared_ptr<Exchange> exchange;
  std::string held;
  bool over = false;  // more has come: this is no empty repository
};
net::Task<bool> write_opening(std::shared_ptr<Opening> opening, std::string_view bytes) {
  opening->held.append(bytes);
  opening->over |= opening->held.size() > kEmptyAdvertisementMax;
  if (!opening->over) co_return true;
  const std::string ready = std::exchange(opening->held, {});
  co_return co_await opening->exchange->write(ready);
}

}  // namespace

http::Response git_head(std::string_view content_type) {
  http::Response head;
  head.headers.add("Content-Type", std::string(content_type));
  head.headers.add("Cache-Control", "no-cache, max-age=0, must-revalidate");
  head.headers.add("Pragma", "no-cache");
  head.headers.add("Expires", "Fri, 01 Jan 1980 00:00:00 GMT");
  return head;
}

http::Response git_busy() {
  auto busy = http::text_response(503, "The server is busy with other git requests.\n");
  busy.headers.add("Retry-After", "30");
  return busy;
}

http::Response git_body_failed(net::NetError why) {
  if (why == net::NetError::TimedOut)
    return http::text_response(408, "The body of the request came too slowly, or not at all.\n");
  return http::text_response(400, "The body of the request is broken or ends early.\n");
}

GitServer::GitServer(GitServerOptions options, GraspHost& host, net::Server& server)
    : options_(std::move(options)),
      host_(host),
      held_(options_.held_body_bytes_max),
      slots_(options_.slots, server, gitio::memory_of_own_work),
      advertisement_slots_(options_.slots.for_advertisements(), server) {}

std::optional<GitRoute> GitServer::route(const http::Request& request) const {
  const auto path = options_.mount.below(request.path());
  if (!path) return std::nullopt;
  return git_route(*path, request.query(), request.method, options_.pr_repositories);
}

PushTarget& GitServer::target(const GitRoute& where) {
  if (where.pr_repository) return host_.pr_pushes();
  return host_.pushes();
}

std::filesystem::path GitServer::path(const GitRoute& where) {
  return target(where).path(where.coordinate);
}

std::optional<net::StreamOptions> GitServer::streams(const http::Request& request) const {
  const auto path = options_.mount.below(request.path());
  const bool ours = path && (looks_like_repository(*path) ||
                             (options_.pr_repositories && looks_like_pr_repository(*path)));
  if (!ours || request.method == http::Method::Options) return std::nullopt;
  net::StreamOptions stream;
  const auto where = route(request);
  if (!where) return stream;
  stream.idle_timeout = options_.rate_min.grace;
  stream.rate_min = options_.rate_min;
  stream.body_bytes_max = options_.fetch_body_bytes_max;
  if (where->ask == GitAsk::Receive) stream.body_bytes_max = push_bytes_max();
  return stream;
}

// More than the pack, so that what is too big can be read to its end and answered.
std::uint64_t GitServer::push_bytes_max() const {
  constexpr std::uint64_t kMargin = 64ULL << 20;
  const auto pack = host_.hosting().options.receive.pack_bytes_max;
  return pack == 0 ? std::numeric_limits<std::uint64_t>::max() : pack + kMargin;
}

// R7. nullptr: it is answered.
net::Task<std::shared_ptr<Exchange>> GitServer::admit(std::shared_ptr<Exchange> exchange) {
  if (!options_.members) co_return exchange;
  auto answer = moved(exchange->request());
  if (!answer) {
    if (auto member = options_.members->admit(exchange)) co_return member;
    meters_.refused_strangers += 1;
    answer = options_.members->refusal();
  }
  co_await exchange->respond(*std::move(answer));
  co_return nullptr;
}

net::Task<void> GitServer::exchange(std::shared_ptr<Exchange> exchange) {
  exchange = co_await admit(std::move(exchange));
  if (!exchange) co_return;
  const auto where = route(exchange->request());
  if (!where || where->ask == GitAsk::Page) co_return co_await show_page(exchange);
  if (where->ask == GitAsk::Unknown) {
    auto missing = not_found();
    co_await exchange->respond(std::move(missing));
    co_return;
  }
  const auto begin = net::now().instant;
  const bool good = co_await serve(exchange, *where);
  auto& counted = meters_.operations[static_cast<std::size_t>(operation_of(where->ask))];
  good ? counted.success += 1 : counted.error += 1;
  const std::chrono::duration<double> seconds = net::now().instant - begin;
  meters_.took(operation_of(where->ask), seconds.count());
}

net::Task<bool> GitServer::serve(std::shared_ptr<Exchange> exchange, GitRoute where) {
  const bool open = where.pr_repository || host_.hosting().known()->is_open(where.coordinate);
  if (!open) {
    auto missing = not_found();
    co_await exchange->respond(std::move(missing));
    co_return false;
  }
  if (auto refusal = co_await refusal_for_loss(options_.inspector, host_.workers(), where)) {
    meters_.refused_incomplete += 1;
    co_await exchange->respond(*std::move(refusal));
    co_return false;
  }
  const auto& request = exchange->request();
  if (request.method == http::Method::Head) {
    auto head = git_head(fmt::format("application/x-{}-advertisement", service_of(where.ask)));
    const bool begun = co_await exchange->begin(std::move(head));
    co_return begun&& co_await exchange->finish();
  }
  const auto client = http::client_address(request.peer, request.headers, options_.trusted_proxies);
  switch (where.ask) {
    case GitAsk::Receive: {
      const PushExchange::Place place{slots_, held_, client, options_.memory};
      auto push =
          std::make_shared<PushExchange>(host_, target(where), meters_, exchange, where.coordinate,
                                         place, options_.silence_max, options_.progress_interval);
      co_return co_await PushExchange::run(std::move(push));
    }
    case GitAsk::Upload:
      co_return co_await upload_in_turn(exchange, where, client);
    case GitAsk::AdvertiseUpload:
    case GitAsk::AdvertiseReceive:
      co_return co_await advertise_in_turn(exchange, where, client);
    case GitAsk::Page:
    case GitAsk::Unknown:
      break;
  }
  CHECK(false);
}

// R3
net::Task<bool> GitServer::upload_in_turn(std::shared_ptr<Exchange> exchange, GitRoute where,
                                          core::IpAddress client) {
  auto body = std::make_shared<HeldBody>(exchange, held_, meters_.bytes_in);
  if (!co_await body->hold()) {
    auto broken = git_body_failed(exchange->failure().value_or(net::NetError::Closed));
    co_await exchange->respond(std::move(broken));
    co_return false;
  }
  const auto bounds = fetch_bounds(gitio::pack_bytes(path(where)), options_.memory);
  auto slot = co_await slots_.take(client, exchange, cost(bounds, options_.memory));
  if (!slot) co_return co_await send_away(exchange);
  co_return co_await upload(exchange, where, std::move(body), bounds, &*slot);
}

net::Task<bool> GitServer::advertise_in_turn(std::shared_ptr<Exchange> exchange, GitRoute where,
                                             core::IpAddress client) {
  const auto memory = git::kForAdvertisements.memory_bytes;
  const auto slot = co_await advertisement_slots_.take(client, exchange, memory);
  if (!slot) co_return co_await send_away(exchange);
  co_return co_await advertise(exchange, where);
}

net::Task<bool> GitServer::send_away(std::shared_ptr<Exchange> exchange) {
  meters_.refused_busy += 1;
  auto busy = git_busy();
  co_await exchange->respond(std::move(busy));
  co_return false;
}

net::Task<bool> GitServer::advertise(std::shared_ptr<Exchange> exchange, GitRoute where) {
  const bool receive = where.ask == GitAsk::AdvertiseReceive;
  const auto protocol = protocol_of(exchange->request());
  std::string head;
  if (protocol != git::Protocol::V2 || receive) {
    git::append_pkt(head, fmt::format("# service={}\n", service_of(where.ask)));
    head += git::kFlushPkt;
  }
  auto answer = git_head(fmt::format("application/x-{}-advertisement", service_of(where.ask)));
  if (!co_await exchange->begin(std::move(answer))) co_return false;
  if (!head.empty() && !co_await exchange->write(head)) co_return false;

  if (receive) {
    net::PostFn post = [this](auto job) { host_.workers().post(std::move(job)); };
    auto closed = co_await net::away(
        std::move(post), [this, &where] { return target(where).closed(where.coordinate); });
    if (closed) {
      const std::string packet = error_packet(*closed);
      co_await exchange->write(packet);
      co_await exchange->finish();
      co_return false;
    }
  }
  const std::string folder = path(where);
  const bool is_incomplete =
      !where.pr_repository && host_.hosting().incomplete.contains(where.coordinate);
  const auto shown = is_incomplete ? git::Advertised::Nothing : git::Advertised::Everything;
  const auto command = receive ? git::advertise_receive_pack(folder, protocol, shown)
                               : git::advertise_upload_pack(folder, protocol);
  auto child = co_await GitChild::start(command, host_.workers());
  if (!child) {
    core::log::error("cannot start git: {}", child.error());
    const std::string packet = error_packet("the repository cannot be read now");
    co_await exchange->write(packet);
    co_await exchange->finish();
    co_return false;
  }
  GitChild::Source source = no_input;
  auto opening = std::make_shared<Opening>(Opening{exchange, {}, false});
  GitChild::Sink sink = [opening](std::string_view bytes) { return write_opening(opening, bytes); };
  GitChild::Watch watch{options_.silence_max, {}, {}};
  auto end = co_await GitChild::converse(*child, exchange, std::move(source), std::move(sink),
                                         std::move(watch));
  const std::string rest = receive ? opening->held : git::complete_advertisement(opening->held);
  if (end.finished && !rest.empty() && !co_await exchange->write(rest)) co_return false;
  if (end.finished && end.status != 0) {
    core::log::warn("git failed on {}: {}", folder, end.complaints);
    const std::string packet = error_packet(end.complaints);
    co_await exchange->write(packet);
  }
  co_return end.finished&& co_await exchange->finish() && end.status == 0;
}

net::Task<bool> GitServer::refuse_filter(std::shared_ptr<Exchange> exchange) {
  auto head = git_head("application/x-git-upload-pack-result");
  if (!co_await exchange->begin(std::move(head))) co_return false;
  const std::string packet = error_packet(
      fmt::format("a tree filter allows max depth {} on this server", git::kTreeDepthMax));
  co_await exchange->write(packet);
  co_await exchange->finish();
  co_return false;
}

net::Task<bool> GitServer::upload(std::shared_ptr<Exchange> exchange, GitRoute where,
                                  std::shared_ptr<HeldBody> body, const git::Bounds& bounds,
                                  GitSlots::Slot* slot) {
  const std::string folder = path(where);
  const auto filter = git::tree_filter_of(body->beginning());
  if (filter == git::TreeFilter::TooDeep) co_return co_await refuse_filter(exchange);
  const auto command = git::upload_pack(folder, protocol_of(exchange->request()), bounds, filter);
  auto child = co_await GitChild::start(command, host_.workers());
  if (!child) {
    core::log::error("cannot start git: {}", child.error());
    auto broken = failed();
    co_await exchange->respond(std::move(broken));
    co_return false;
  }
  auto upload = std::make_shared<Upload>(exchange, std::move(body), meters_);
  GitChild::Source source = [upload] { return upload->read(); };
  GitChild::Sink sink = [upload](std::string_view bytes) { return upload->write(bytes); };
  GitChild::Watch watch{options_.silence_max, {}, {}};
  watch.on_usage = [upload, slot](const gitio::Process::Usage& usage) {
    if (upload->begun) slot->shrink_to(usage.memory_bytes + kSendingBytes);
  };
  auto end = co_await GitChild::converse(*child, exchange, std::move(source), std::move(sink),
                                         std::move(watch));
  meters_.sent(target(where).key(where.coordinate), upload->sent);
  if (exchange->failure() && !upload->begun) {
    auto broken = git_body_failed(*exchange->failure());
    co_await exchange->respond(std::move(broken));
    co_return false;
  }
  if (!end.finished || !co_await upload->begin_once()) co_return false;
  if (end.status != 0 && upload->sent == 0) {
    const std::string packet = error_packet(end.complaints);
    co_await exchange->write(packet);
  }
  co_return co_await exchange->finish() && end.status == 0;
}

}  // namespace graspd::serve
