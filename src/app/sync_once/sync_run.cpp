#include "app/sync_once/sync_run.h"

#include <csignal>
#include <fmt/format.h>
#include <unistd.h>

#include "app/base/progress.h"
#include "app/base/terminal.h"
#include "app/base/version.h"
#include "app/client/relay_client.h"
#include "net/clock.h"
#include "net/dialer.h"
#include "net/dialer_loop.h"
#include "net/later.h"
#include "nostr/json.h"

namespace graspd::app {
namespace {

using core::Failure;
using core::Result;

constexpr std::size_t kPeerMessageBytesMax = 16 * 1024 * 1024;
constexpr core::Duration kInformationPatience{3'000};
constexpr core::Duration kBeat{10};
constexpr std::size_t kNoticesMax = 10;

volatile std::sig_atomic_t stopped_by = 0;

void on_signal(int signal) {
  stopped_by = signal;
  std::signal(signal, SIG_DFL);  // R2
}

std::string_view describe(net::NetError error) {
  switch (error) {
    case net::NetError::Closed:
      return "the relay closed the connection";
    case net::NetError::TimedOut:
      return "it fell silent";
    case net::NetError::TooSlow:
      return "the relay sends too slowly";
    case net::NetError::TooBig:
      return "the relay sent a message that is too large";
    case net::NetError::Protocol:
    case net::NetError::Failed:
      break;
  }
  return "the connection broke";
}

// Everything that is under way; lives longer than the event loop.
struct Run {
  const OneShotTask& task;
  std::unique_ptr<net::Dialer> dialer;
  std::unique_ptr<EventIntake> server_intake;
  EventIntake* intake = nullptr;
  bool intake_is_closed = false;
  std::shared_ptr<net::WebSocket> socket;
  std::string_view end_of_socket;  // why it is over; empty: it is not
  std::optional<OneShotSync> talk;
  nostr::JsonReader reader;
  std::optional<Progress> progress;
  bool terminal = ::isatty(STDERR_FILENO) == 1;
  std::size_t notices = 0;
  core::Instant began_at = net::now().instant;
  OneShotReport report;  // when there was no talk

  const nostr::RelayUrl& peer() const { return task.wish.peer; }
  net::DialTarget target() const {
    return {peer().host(), peer().port(), peer().path(), peer().is_secure()};
  }

  void flush() {
    for (const std::string& word : talk->take_words()) {
      if (!socket) continue;
      talk->report().bytes_out += word.size();
      socket->write(word);
    }
    for (nostr::Event& event : talk->take_events()) intake->submit(std::move(event));
  }
  void say(const std::string& text) {
    if (++notices <= kNoticesMax) fmt::print(stderr, "{}: {}\n", peer().text(), one_line(text));
  }
};

http::Headers user_agent() {
  http::Headers headers;
  headers.add("User-Agent", fmt::format("graspd/{}", kVersion));
  return headers;
}

net::Task<std::optional<sync::PeerInformation>> read_information(Run* run) {
  net::HttpGetOptions options;
  options.timeout = kInformationPatience;
  options.allow_private_addresses = true;  // whoever types a command may go everywhere
  options.headers = user_agent();
  options.headers.add("Accept", "application/nostr+json");
  net::DialTarget target = run->target();
  const auto answer = co_await run->dialer->http_get(std::move(target), std::move(options));
  if (!answer || answer->status != 200) co_return std::nullopt;
  const auto read = run->reader.relay_information(answer->body);
  if (!read) co_return std::nullopt;
  sync::PeerInformation information;
  information.software = read->software;
  information.supported_nips = read->supported_nips;
  information.supported_grasps = read->supported_grasps;
  information.max_subscriptions = read->max_subscriptions;
  information.max_filters = read->max_filters;
  information.max_message_length = read->max_message_length;
  information.max_limit = read->max_limit;
  co_return information;
}

// The failure is a sentence.
net::Task<std::optional<std::string>> dial(Run* run) {
  net::DialOptions options;
  options.allow_private_addresses = true;
  options.message_bytes_max = kPeerMessageBytesMax;
  options.headers = user_agent();
  net::DialTarget target = run->target();
  auto socket = co_await run->dialer->dial(std::move(target), std::move(options));
  if (!socket) co_return socket.error().text;
  run->socket = *std::move(socket);
  co_return std::nullopt;
}

// Until the connection ends.
net::Task<void> listen(Run* run) {
  for (;;) {
    const auto message = co_await run->socket->read();
    if (!message) {
      run->end_of_socket = describe(message.error());
      co_return;
    }
    run->talk->report().bytes_in += message->text.size();
    auto understood = run->reader.relay_message(message->text);
    if (!understood) continue;  // an event that is none will be missed, and counted then
    run->talk->hear(net::now(), *std::move(understood));
    run->flush();
  }
}

void look_at_signals(Run* run) {
  if (stopped_by == 0 || run->talk->report().signal) return;
  run->talk->report().signal = stopped_by;
  run->talk->stop(net::now());
}

void show_progress(Run* run) {
  OneShotReport& report = run->talk->report();
  report.lasted = net::now().instant - run->began_at;
  run->progress->tick([&] { return progress_text(report, run->talk->standing(), run->terminal); });
}

// Until all is over, or the connection is.
net::Task<void> beat(Run* run) {
  while (!run->talk->finished() && run->end_of_socket.empty()) {
    co_await net::pause(kBeat);
    look_at_signals(run);
    run->talk->tick(net::now());
    run->flush();
    if (run->intake) run->intake->hand_over();
    show_progress(run);
  }
  run->socket->close(net::CloseCode::Normal, "");  // listen() ends by this
}

// R1: false when that was the last connection.
net::Task<bool> dial_again(Run* run) {
  run->talk->disconnected(net::now());
  run->socket.reset();
  if (run->talk->finished() || run->talk->is_ending()) co_return false;
  std::optional<std::string> why;
  if (run->talk->has_moved()) why = co_await dial(run);
  if (run->socket) co_return true;
  run->talk->give_up(net::now(), why ? *why : std::string(run->end_of_socket));
  co_return false;
}

net::Task<void> wait_for_intake(Run* run) {
  while (!run->talk->finished()) {
    co_await net::pause(kBeat);
    run->talk->tick(net::now());
  }
  run->intake_is_closed = true;
  if (run->intake) run->intake->shut();
}

net::Task<void> converse(Run* run) {
  bool connected = true;
  while (connected) {
    run->end_of_socket = {};
    run->talk->connected(net::now());
    run->flush();
    co_await net::both(listen(run), beat(run));
    connected = co_await dial_again(run);
  }
  co_await wait_for_intake(run);
}

net::Task<void> judge(Run* run) {
  while (run->intake != nullptr) {
    const std::vector<Judgement> judgements = co_await run->intake->judgements();
    for (const Judgement& judgement : judgements) run->talk->judged(net::now(), judgement);
    if (judgements.empty()) break;
    run->flush();
  }
  if (run->intake != nullptr && !run->intake_is_closed)
    run->talk->give_up(net::now(), "our own server closed the connection");
}

OneShotSync::Terms terms(Run* run, std::optional<sync::PeerInformation> peer) {
  OneShotSync::Terms terms{.wish = run->task.wish, .peer = std::move(peer)};
  terms.negentropy = run->task.settings.sync.engine.negentropy;
  if (run->task.owner) terms.answer = answer_with(run->task.owner->keypair, run->peer());
  terms.notice = [run](const std::string& text) { run->say(text); };
  return terms;
}

void unreachable(Run* run, const std::string& why) {
  run->report.end = OneShotReport::End::Unreachable;
  trouble(run->report, why);
}

net::Task<void> talk_to_peer(Run* run) {
  net::DialerOptions options;
  options.extra_ca_file = run->task.settings.sync.dialer.extra_ca_file;
  run->dialer = net::make_dialer(std::move(options));
  if (run->task.through_server) {
    const std::string why = co_await dial_own_server(run->dialer.get(), &run->task.settings,
                                                     &*run->task.owner, &run->server_intake);
    if (!why.empty()) co_return unreachable(run, why);
    run->intake = run->server_intake.get();
  }
  auto information = co_await read_information(run);
  const auto failure = co_await dial(run);
  if (failure) co_return unreachable(run, *failure);
  run->talk.emplace(terms(run, std::move(information)), run->task.inventory, net::now());
  run->progress.emplace();
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  co_await net::both(converse(run), judge(run));
}

// Sockets may not outlive their event loop.
net::Task<int> whole(Run* run) {
  co_await talk_to_peer(run);
  run->socket.reset();
  run->server_intake.reset();
  run->dialer.reset();
  co_return 0;
}

}  // namespace

OneShotReport run_sync(const OneShotTask& task) {
  Run run{.task = task, .intake = task.intake};
  net::run_to_end(whole(&run));
  run.progress.reset();  // ends its line
  OneShotReport report = run.talk ? run.talk->final_report() : run.report;
  report.lasted = net::now().instant - run.began_at;
  return report;
}

}  // namespace graspd::app
