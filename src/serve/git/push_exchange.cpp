#include "serve/git/push_exchange.h"

#include <fmt/format.h>
#include <set>

#include "core/log.h"
#include "git/exhausted.h"
#include "git/pkt_line.h"
#include "git/side_band.h"
#include "net/later.h"
#include "serve/git/git_child.h"
#include "serve/git/git_server.h"
#include "serve/runtime/random.h"

namespace graspd::serve {
namespace {

constexpr std::string_view kResult = "application/x-git-receive-pack-result";
constexpr std::string_view kZero = "0000000000000000000000000000000000000000";
// A report names each ref once, and there may be fifty thousand.
constexpr std::size_t kReportBytesMax = 32 * 1024 * 1024;

// The last line of git's complaints that says what was wrong.
std::string reason_in(const std::string& complaints) {
  std::string reason;
  for (std::size_t at = 0; at < complaints.size();) {
    const auto end = std::min(complaints.find('\n', at), complaints.size());
    const auto line = std::string_view(complaints).substr(at, end - at);
    for (const std::string_view prefix : {"fatal: ", "error: "})
      if (line.starts_with(prefix) && reason.empty()) reason = line.substr(prefix.size());
    at = end + 1;
  }
  return reason;
}

}  // namespace

PushExchange::PushExchange(GraspHost& host, PushTarget& target, GitMeters& meters,
                           std::shared_ptr<net::Exchange> exchange, grasp::Coordinate repo,
                           const Place& place, core::Duration silence_max,
                           core::Duration progress_interval)
    : host_(host),
      target_(target),
      meters_(meters),
      exchange_(std::move(exchange)),
      repo_(std::move(repo)),
      silence_max_(silence_max),
      progress_interval_(progress_interval),
      parser_(place.client),
      place_(place),
      body_(exchange_, place.held, meters.bytes_in) {}

net::Task<bool> PushExchange::run(std::shared_ptr<PushExchange> self) {
  switch (co_await self->listen()) {
    case Listened::Probe: {
      auto welcome = git_head(kResult);
      co_return co_await self->respond(std::move(welcome));
    }
    case Listened::Broken:
      co_return co_await self->complain();
    case Listened::Refused: {
      const auto& commands = self->parser_.request().commands;
      const std::string& reason = self->parser_.reason();
      if (commands.empty()) self->unpack_ = self->target_.refusal(reason);
      self->results_ = self->target_.refuse(self->parser_.request(), reason);
      co_return co_await self->refuse();
    }
    case Listened::Ready:
      co_return co_await self->decide();
  }
  CHECK(false);
}

net::Task<PushExchange::Listened> PushExchange::listen() {
  auto state = git::PushParser::State::NeedMore;
  while (state == git::PushParser::State::NeedMore || state == git::PushParser::State::Probe) {
    const auto bytes = co_await body_.read();
    if (!bytes) co_return Listened::Broken;
    if (bytes->empty())
      co_return state == git::PushParser::State::Probe ? Listened::Probe : Listened::Broken;
    state = parser_.feed(*bytes);
  }
  body_.put_back(parser_.take_rest());
  co_return state == git::PushParser::State::Done ? Listened::Ready : Listened::Refused;
}

// R8
net::Task<bool> PushExchange::decide() {
  auto admitted = co_await patiently([this] { return admit(); });
  if (!admitted.refusals.empty()) {
    results_ = std::move(admitted.refusals);
    co_return co_await refuse();
  }
  if (admitted.staging) {
    std::optional<gitio::Staging> staging(*std::move(admitted.staging));
    co_return co_await receive_in_turn(std::move(staging));
  }
  if (!co_await drain()) co_return co_await complain();
  std::optional<gitio::Staging> nothing;
  co_return co_await deliver(std::move(nothing));
}

// On a worker: everything that looks at the disk before git gets the pack.
PushExchange::Admitted PushExchange::admit() {
  const git::PushRequest& request = parser_.request();
  if (const auto closed = target_.closed(repo_)) return {target_.refuse(request, *closed), {}};
  const PushCheck check = target_.check(repo_, request);
  if (!check.accepted()) return {check.refusals(request), {}};
  if (check.nothing_to_do() || !sends_pack()) return {};
  // From here on: what is pushed does not expire while its pack is on the way or waits its turn.
  under_way_ = host_.begin_push(target_.being_pushed(repo_, request));
  is_unsigned_ = !check.unsigned_refs.empty();
  is_shallow_ = !target_.unknown(repo_, request.shallow).empty();
  share_.emplace(host_.hosting().received, target_.key(repo_));
  limits_ = target_.limits(repo_);
  pulls_space_ = check.pulls_space;
  space_ = target_.space(repo_, is_unsigned_ ? PushTarget::Uploader(request.from) : std::nullopt);
  if (pulls_space_) space_ = std::min(space_.value_or(*pulls_space_), *pulls_space_);
  auto staging =
      gitio::Staging::create(host_.hosting().options.root, target_.path(repo_), random_hex(16));
  if (staging) return {{}, *std::move(staging)};
  core::log::error("cannot receive a push: {}", staging.error());
  unpack_ = "the server cannot write to its disk";
  return {target_.refuse(request, unpack_), {}};
}

// R6
net::Task<bool> PushExchange::receive_in_turn(std::optional<gitio::Staging> staging) {
  if (!co_await body_.hold()) co_return co_await complain();
  const auto size = body_.is_whole() ? PackSize::Small : PackSize::Unknown;
  bounds_ = push_bounds(is_unsigned_, size, place_.memory);
  limits_.bounds = bounds_;
  auto slot = co_await place_.slots.take(place_.client, exchange_, cost(bounds_, place_.memory));
  if (slot) {
    slot_.emplace(*std::move(slot));
    co_return co_await receive(std::move(staging));
  }
  meters_.refused_busy += 1;
  target_.failed(repo_);
  auto busy = git_busy();
  co_await respond(std::move(busy));
  co_return false;
}

bool PushExchange::sends_pack() const {
  return std::ranges::any_of(parser_.request().commands,
                             [](const git::Command& command) { return !command.is_delete(); });
}

net::Task<bool> PushExchange::respond(http::Response response) {
  return exchange_->respond(std::move(response));
}

// R1.
net::Task<bool> PushExchange::refuse() {
  meters_.pushes_denied += 1;
  target_.failed(repo_);
  const bool whole = co_await drain();
  if (!whole) co_return co_await complain();
  co_await answer();
  co_return false;
}

net::Task<bool> PushExchange::complain() {
  target_.failed(repo_);
  auto broken = git_body_failed(exchange_->failure().value_or(net::NetError::Closed));
  co_await respond(std::move(broken));
  co_return false;
}

net::Task<bool> PushExchange::drain() {
  while (!body_.is_whole()) {
    const auto bytes = co_await body_.read();
    if (!bytes) co_return bytes.error() == net::NetError::TooBig;
  }
  co_return true;
}

net::Task<bool> PushExchange::receive(std::optional<gitio::Staging> staging) {
  std::string path = staging->path();
  auto failure = co_await take_pack(std::move(path));
  slot_.reset();
  if (failure) {
    unpack_ = *std::move(failure);
    results_ = target_.refuse(parser_.request(), unpack_);
    co_return co_await refuse();
  }
  co_return co_await deliver(std::move(staging));
}

net::Task<bool> PushExchange::gather(std::shared_ptr<std::string> report, std::string_view bytes) {
  report->append(bytes);
  co_return report->size() <= kReportBytesMax;
}

// R2, R3. What went wrong, in words for the client.
net::Task<std::optional<std::string>> PushExchange::take_pack(std::string staging_path) {
  list_ = own_commands();
  const auto command = git::receive_pack(staging_path, limits_);
  auto child = co_await GitChild::start(command, host_.workers());
  if (!child) {
    core::log::error("cannot start git: {}", child.error());
    co_return "the server cannot start git";
  }
  auto report = std::make_shared<std::string>();
  GitChild::Sink sink = [report](std::string_view bytes) { return gather(report, bytes); };
  GitChild::Source source = [this] { return pack_bytes(); };
  GitChild::Watch watch{silence_max_, {}, {}};
  watch.cpu_max = [is_unsigned = is_unsigned_](std::uint64_t bytes) {
    return std::chrono::seconds(push_cpu_seconds(is_unsigned, bytes));
  };
  auto end = co_await GitChild::converse(*child, exchange_, std::move(source), std::move(sink),
                                         std::move(watch));
  const auto parsed = git::parse_report_status(*report);
  if (is_beyond_space_ && !is_unsigned_ && pulls_space_ == space_)
    co_return std::string(kNoSpaceForPulls);
  if (is_beyond_space_)
    co_return is_unsigned_ ? std::string(kNoSpaceForUploads) : target_.beyond_quota(repo_);
  auto exhausted = git::exhausted(end.status, end.complaints);
  if (end.out_of_time) exhausted = git::Exhausted::Time;
  if (exhausted && (end.finished || end.out_of_time)) {
    core::log::warn("a push to {} ran into a limit: {}", target_.key(repo_),
                    end.out_of_time ? "processor time" : reason_in(end.complaints));
    co_return beyond_bounds(*exhausted);
  }
  const std::string complaint = in_words(reason_in(end.complaints));
  if (!end.finished) co_return "the push broke off";
  if (!parsed || parsed->unpack != "ok")
    co_return complaint.empty() ? std::string("git could not read the pack") : complaint;
  for (const auto& [ref, refusal] : parsed->results)
    if (refusal) co_return complaint.empty() ? *refusal : complaint;
  co_return std::nullopt;
}

// R7
std::string PushExchange::beyond_bounds(git::Exhausted what) const {
  std::string words(git::in_words(what));
  if (!is_unsigned_ || what == git::Exhausted::FileSize) return words;
  return fmt::format("{} (without its event a push gets {} MiB and {} s; publish the event first)",
                     words, cost(bounds_, place_.memory) >> 20, bounds_.cpu_seconds);
}

// Git knows a limit, but not that it is what a quota leaves. Nor does it know of shallow clones.
std::string PushExchange::in_words(std::string complaint) const {
  if (is_shallow_ && !complaint.empty())
    return fmt::format("{}; your clone is shallow: get its whole history first", complaint);
  const auto& options = host_.hosting().options;
  const bool by_quota = limits_.pack_bytes_max != options.receive.pack_bytes_max;
  if (!by_quota || !complaint.starts_with("pack exceeds maximum allowed size")) return complaint;
  return target_.beyond_quota(repo_);
}

net::Task<std::optional<std::string_view>> PushExchange::pack_bytes() {
  if (!std::exchange(commands_sent_, true)) co_return list_;
  const auto bytes = co_await body_.next();
  if (!bytes || !has_space_for(bytes->size())) co_return std::nullopt;
  co_return *bytes;
}

// R5
bool PushExchange::has_space_for(std::size_t bytes) {
  const std::uint64_t all = share_->add(bytes);
  is_beyond_space_ |= space_ && all > *space_;
  return !is_beyond_space_;
}

std::string PushExchange::own_commands() const {
  std::set<git::Oid> tips;
  for (const git::Command& command : parser_.request().commands)
    if (!command.is_delete()) tips.insert(command.new_oid);
  std::string list;
  std::size_t number = 0;
  for (const git::Oid& tip : tips) {
    std::string line = fmt::format("{} {} refs/incoming/{}", kZero, tip.hex(), number);
    if (number++ == 0) line.append("\0 report-status", 15);
    git::append_pkt(list, line);
  }
  list += git::kFlushPkt;
  return list;
}

net::Task<bool> PushExchange::deliver(std::optional<gitio::Staging> staging) {
  results_ = co_await patiently(
      [this, &staging] { return target_.deliver(repo_, parser_.request(), std::move(staging)); });
  host_.touched(target_.key(repo_));
  const bool good = std::ranges::none_of(
      results_, [](const git::Result& result) { return result.refusal.has_value(); });
  good ? meters_.pushes_allowed += 1 : meters_.pushes_denied += 1;
  if (good && share_) share_->keep();
  share_.reset();
  const bool told = co_await answer();
  co_return told&& good;
}

net::Task<bool> PushExchange::answer() {
  if (!co_await begin_once()) co_return false;
  auto body = git::push_answer(parser_.request().capabilities, unpack_, results_, "");
  if (body.empty() && parser_.request().commands.empty()) git::append_pkt(body, "ERR " + unpack_);
  if (!body.empty() && !co_await exchange_->write(body)) co_return false;
  co_return co_await exchange_->finish();
}

net::Task<bool> PushExchange::begin_once() {
  if (std::exchange(begun_, true)) co_return true;
  auto head = git_head(kResult);
  co_return co_await exchange_->begin(std::move(head));
}

// R4. Runs on a worker; the client hears of it every few seconds once its body has been read.
template <class Work>
auto PushExchange::patiently(Work work) -> net::Task<std::invoke_result_t<Work&>> {
  using T = std::invoke_result_t<Work&>;
  auto progress = std::make_shared<Progress>();
  auto result = std::make_shared<std::optional<T>>();
  auto carried_out = carry_out(std::move(work), result, progress);
  auto reassured = reassure(progress);
  co_await net::both(std::move(carried_out), std::move(reassured));
  co_return std::move(**result);
}

template <class Work, class T>
net::Task<void> PushExchange::carry_out(Work work, std::shared_ptr<std::optional<T>> result,
                                        std::shared_ptr<Progress> progress) {
  net::PostFn post = [this](auto to_do) { host_.workers().post(std::move(to_do)); };
  result->emplace(co_await net::away(std::move(post), std::move(work)));
  progress->done = true;
  progress->word.notify();
}

// The word may have come before anybody listened: the flag counts.
net::Task<void> PushExchange::end_of(std::shared_ptr<Progress> progress) {
  while (!progress->done) co_await progress->word.wait();
}

net::Task<void> PushExchange::reassure(std::shared_ptr<Progress> progress) {
  while (!progress->done) {
    co_await net::first(end_of(progress), net::pause(progress_interval_));
    const bool may_speak = body_.is_whole() && parser_.request().capabilities.side_band_64k;
    if (progress->done || !may_speak) continue;
    std::string note;
    git::append_band(note, git::Band::Progress, "GRASP is finalizing the push\n");
    if (!co_await begin_once() || !co_await exchange_->write(note)) break;
  }
}

}  // namespace graspd::serve
