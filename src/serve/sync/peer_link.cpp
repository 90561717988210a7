#include "serve/sync/peer_link.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <utility>

#include "core/check.h"
#include "core/excerpt.h"
#include "core/log.h"
#include "negentropy/reconciler.h"
#include "net/clock.h"
#include "net/later.h"
#include "nostr/relay_message.h"
#include "nostr/serialize.h"
#include "serve/runtime/random.h"

namespace graspd::serve {
namespace {

// R4
constexpr std::size_t kNonsenseMax = 100;
// What crosses our CLOSE on its way is a stray too, so there may be many.
constexpr std::size_t kStraysMax = 50'000;

// What a peer says in words is judged, logged and shown to people, not its megabytes.
constexpr std::size_t kWordsMax = 500;

namespace says = nostr::client_says;

std::string brief(std::string words) { return core::excerpt(std::move(words), kWordsMax); }

std::string wire_name(sync::Sub sub) { return fmt::format("g{}", sub.value); }

std::optional<sync::Sub> sub_of(std::string_view name) {
  sync::Sub sub{};
  if (!name.starts_with('g')) return std::nullopt;
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + 1, end, sub.value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return sub;
}

sync::DialProblem problem_of(const net::DialError& error) {
  switch (error.kind) {
    case net::DialFailure::Name:
      return sync::DialProblem::Name;
    case net::DialFailure::Forbidden:
      return sync::DialProblem::Forbidden;
    case net::DialFailure::Tls:
      return sync::DialProblem::Tls;
    case net::DialFailure::NotAWebSocket:
      return error.http_status == 429 ? sync::DialProblem::TooManyCalls
                                      : sync::DialProblem::NotARelay;
    case net::DialFailure::Refused:
    case net::DialFailure::TimedOut:
    case net::DialFailure::Failed:
      break;
  }
  return sync::DialProblem::Network;
}

std::string end_of(net::NetError error) {
  switch (error) {
    case net::NetError::Closed:
      return "the peer closed the connection";
    case net::NetError::TimedOut:
      return "the peer stopped responding";
    case net::NetError::TooSlow:
      return "the peer began a message and did not finish it in time";
    case net::NetError::TooBig:
      return "the peer sent a message that is too large";
    case net::NetError::Protocol:
      return "the peer does not keep to the WebSocket protocol";
    case net::NetError::Failed:
      break;
  }
  return "the connection broke";
}

net::DialTarget target_of(const nostr::RelayUrl& url) {
  return {url.host(), url.port(), url.path(), url.is_secure()};
}

}  // namespace

// One NIP-77 exchange; touched by one job at a time. A peer may refuse it while a worker has it:
// the set is put here on the thread of sync, where the refusal looks at it.
struct PeerLink::Reconciliation {
  std::optional<negentropy::Initiator> initiator;
  SyncInventory::Set set;
  sync::NegOpen asked;
  std::vector<negentropy::Id> lacking;  // by the peer
  std::optional<std::string> next;      // what NegContinue sends
  bool busy = false;                    // a worker has it
};

PeerLink::PeerLink(SyncContext& context, sync::RelayId relay, sync::Session session,
                   const nostr::RelayUrl& url, std::shared_ptr<sync::IntakeRate> rate)
    : context_(context),
      relay_(relay),
      session_(session),
      url_(std::make_shared<const nostr::RelayUrl>(url)),
      rate_(std::move(rate)) {}

net::Task<void> PeerLink::run(std::shared_ptr<PeerLink> self, net::Dialer* dialer,
                              net::DialOptions options) {
  auto dialling = dial(self, dialer, std::move(options));
  auto leaving = until_left(self);
  co_await net::first(std::move(dialling), std::move(leaving));
  if (!self->socket_) co_return;
  self->context_.tell(sync::Connected{self->relay_, self->session_});
  co_await read(self);
}

net::Task<void> PeerLink::until_left(std::shared_ptr<PeerLink> self) {
  if (!self->left_) co_await self->leave_.wait();
}

net::Task<void> PeerLink::dial(std::shared_ptr<PeerLink> self, net::Dialer* dialer,
                               net::DialOptions options) {
  net::DialTarget target = target_of(*self->url_);
  options.on_held = [weak = self->weak_from_this()](std::size_t bytes) {
    if (const auto link = weak.lock()) link->holds(bytes);
  };
  auto socket = co_await dialer->dial(std::move(target), std::move(options));
  if (socket) {
    self->socket_ = *std::move(socket);
  } else {
    self->dial_failed(socket.error());
  }
}

void PeerLink::dial_failed(const net::DialError& error) {
  context_.tell(
      sync::DialFailed{relay_, session_, problem_of(error), error.text, error.retry_after});
}

net::Task<void> PeerLink::read(std::shared_ptr<PeerLink> self) {
  std::string end = "hung up";
  while (!self->left_) {
    const auto message = co_await self->socket_->read();
    if (!message) {
      end = end_of(message.error());
      self->at_fault_ |= message.error() == net::NetError::TooSlow;
      break;
    }
    self->rate_->took(0, message->text.size(), net::now().instant);
    self->hear(*message);
    co_await hold_back(self);
  }
  if (!self->why_left_.empty()) end = self->why_left_;
  self->socket_->close(net::CloseCode::Normal, "");
  self->context_.held.hold(self->session_, 0);
  self->context_.tell(
      sync::Disconnected{self->relay_, self->session_, std::move(end), self->at_fault_});
}

void PeerLink::say(const std::string& text) {
  core::log::line(core::log::Level::Trace, "sync: {} < {}", url_->text(),
                  std::string_view(text).substr(0, 300));
  if (socket_) socket_->write(text);
}

void PeerLink::hear(const net::Message& message) {
  core::log::line(core::log::Level::Trace, "sync: {} > {}", url_->text(),
                  message.text.substr(0, 300));
  if (message.binary) return heard_nonsense("a binary message");
  auto parsed = context_.reader.relay_message(message.text);
  if (!parsed) return heard_nonsense(parsed.error());
  std::visit([this](auto& said) { hear(said); }, *parsed);
}

void PeerLink::heard_nonsense(const std::string& why) {
  core::log::debug("sync: {} said something that cannot be read: {}", url_->text(), why);
  context_.tell(sync::Heard{relay_, session_});
  if (++nonsense_ >= kNonsenseMax) drop("the peer sends what cannot be read");
}

void PeerLink::heard_stray() {
  context_.tell(sync::Heard{relay_, session_});
  if (++strays_ >= kStraysMax) drop("the peer floods");
}

void PeerLink::hear(nostr::relay_said::Matching& said) {
  const auto sub = sub_of(said.subscription);
  const auto at = sub ? subscriptions_.find(*sub) : subscriptions_.end();
  if (at == subscriptions_.end()) return heard_stray();
  sync::EventArrived arrived{relay_, session_, *sub, said.event.id, said.event.created_at};
  arrived.matched = sync::matching_filters(*at->second, said.event);
  if (arrived.matched != 0) {
    const std::size_t bytes = 256 + said.event.content.size() + said.event.tags.text_bytes();
    arrived.outcome =
        context_.intake.arrive({relay_, session_, *sub, std::move(said.event), bytes, url_});
    if (!arrived.outcome) {
      undecided_ += 1;
      undecided_bytes_ += bytes;
      rate_->took(1, 0, net::now().instant);
      count_held();
    }
  }
  context_.tell(arrived);
}

void PeerLink::hear(nostr::relay_said::EndOfStored& said) {
  const auto sub = sub_of(said.subscription);
  if (!sub || !subscriptions_.contains(*sub)) return context_.tell(sync::Heard{relay_, session_});
  context_.tell(sync::EndOfStored{relay_, session_, *sub, said.completeness});
}

void PeerLink::hear(nostr::relay_said::Closed& said) {
  const auto sub = sub_of(said.subscription);
  if (sub && reconciliations_.contains(*sub)) return refused(*sub, brief(std::move(said.text)), {});
  if (!sub || subscriptions_.erase(*sub) == 0) return context_.tell(sync::Heard{relay_, session_});
  context_.tell(sync::Closed{relay_, session_, *sub, brief(std::move(said.text))});
}

void PeerLink::hear(nostr::relay_said::Notice& said) {
  context_.tell(sync::Notice{relay_, session_, brief(std::move(said.text))});
}

void PeerLink::hear(nostr::relay_said::Unknown&) { context_.tell(sync::Heard{relay_, session_}); }

void PeerLink::hear(nostr::relay_said::Challenge& said) {
  if (said.text.size() > kWordsMax) return heard_nonsense("a challenge that is too long");
  challenge_ = std::move(said.text);
  if (std::exchange(challenge_is_awaited_, false)) authenticate();
  context_.tell(sync::Heard{relay_, session_});
}

void PeerLink::hear(nostr::relay_said::Ok& said) {
  if (answer_ != said.id) return context_.tell(sync::Heard{relay_, session_});
  answer_.reset();
  context_.tell(sync::Authenticated{relay_, session_, said.accepted, brief(std::move(said.text))});
}

void PeerLink::authenticate() {
  challenge_is_awaited_ = challenge_.empty();
  if (challenge_is_awaited_) return;
  nostr::Event event;
  event.kind = nostr::kinds::kClientAuth;
  event.created_at = net::now().unix_seconds;
  event.tags = {{"relay", url_->text()}, {"challenge", challenge_}};
  std::array<std::uint8_t, 32> randomness;
  fill_random(randomness);
  context_.identity.sign(event, randomness);
  answer_ = event.id;
  say(says::auth(nostr::to_json(event)));
}

void PeerLink::subscribe(const sync::Subscribe& action) {
  subscriptions_[action.sub] = action.filters;
  say(says::req(wire_name(action.sub), *action.filters));
}

void PeerLink::unsubscribe(sync::Sub sub) {
  subscriptions_.erase(sub);
  say(says::close(wire_name(sub)));
}

template <class Work>
void PeerLink::on_worker(Work work) {
  context_.workers.post([work = std::move(work), weak = weak_from_this(), thread = context_.thread,
                         &server = context_.server]() mutable {
    auto then = work();
    server.post(thread, [weak = std::move(weak), then = std::move(then)]() mutable {
      if (auto self = weak.lock()) then(*self);
    });
  });
}

void PeerLink::open_reconciliation(const sync::NegOpen& action) {
  auto reconciliation = std::make_shared<Reconciliation>();
  reconciliation->busy = true;
  reconciliations_[action.sub] = reconciliation;
  on_worker([action, reconciliation, &inventory = context_.inventory] {
    auto set = inventory.read(action.filter, net::now().unix_seconds, action.items_max);
    std::string first;
    if (set) {
      reconciliation->initiator.emplace(*set,
                                        negentropy::Options{.frame_max = action.frame_bytes_max});
      first = says::neg_open(wire_name(action.sub), action.filter,
                             reconciliation->initiator->initial_message());
    }
    const auto problem = set ? SyncInventory::Problem{} : set.error();
    const auto ours = set ? *set : SyncInventory::Set();
    return [action, reconciliation, problem, ours, first = std::move(first)](PeerLink& self) {
      if (!self.reconciliations_.contains(action.sub)) return;
      reconciliation->busy = false;
      reconciliation->set = ours;
      reconciliation->asked = action;
      if (!first.empty()) {
        self.say(first);
        return self.context_.tell(sync::NegOpened{self.relay_, self.session_, action.sub});
      }
      self.reconciliations_.erase(action.sub);
      const auto what =
          problem.too_large ? sync::NegProblem::OursTooLarge : sync::NegProblem::OursUnread;
      self.context_.tell(
          sync::NegFailed{self.relay_, self.session_, action.sub, what, "", {}, problem.middle});
    };
  });
}

void PeerLink::hear(nostr::relay_said::NegMessage& said) {
  const auto sub = sub_of(said.subscription);
  const auto at = sub ? reconciliations_.find(*sub) : reconciliations_.end();
  const bool unexpected =
      at == reconciliations_.end() || at->second->busy || at->second->next.has_value();
  if (unexpected) return context_.tell(sync::Heard{relay_, session_});
  at->second->busy = true;
  on_worker([sub = *sub, reconciliation = at->second, message = std::move(said.message),
             relay = relay_, session = session_, &inventory = context_.inventory] {
    auto step = reconciliation->initiator->reconcile(message);
    sync::Input input;
    if (step) {
      std::vector<nostr::EventId> need;
      for (const negentropy::Id& id : step->need) need.emplace_back(id);
      reconciliation->next = std::move(step->next);
      auto& lacking = reconciliation->lacking;
      lacking.insert(lacking.end(), step->have.begin(), step->have.end());
      // A peer that names the same again and again does not make it longer.
      if (lacking.size() > reconciliation->set->size()) lacking.resize(reconciliation->set->size());
      const auto [ours, only_ours] =
          reconciliation->next ? SyncInventory::Coverage{}
                               : inventory.coverage(reconciliation->asked, *reconciliation->set,
                                                    std::move(lacking), net::now().unix_seconds);
      input = sync::NegStepped{
          relay, session,  sub, inventory.unknown(std::move(need)), !reconciliation->next,
          ours,  only_ours};
    } else {
      const auto text = "invalid: " + std::string(negentropy::describe(step.error()));
      input = sync::NegFailed{relay, session, sub, sync::NegProblem::Refused, text, {}, {}};
    }
    return [sub, reconciliation, input = std::move(input)](PeerLink& self) {
      reconciliation->busy = false;
      self.stepped(sub, input);
    };
  });
}

void PeerLink::stepped(sync::Sub sub, sync::Input input) {
  if (!reconciliations_.contains(sub)) return;
  if (std::holds_alternative<sync::NegFailed>(input)) reconciliations_.erase(sub);
  context_.tell(std::move(input));
}

void PeerLink::continue_reconciliation(sync::Sub sub) {
  const auto at = reconciliations_.find(sub);
  if (at == reconciliations_.end() || !at->second->next) return;
  say(says::neg_message(wire_name(sub), *at->second->next));
  at->second->next.reset();
}

void PeerLink::close_reconciliation(sync::Sub sub) {
  reconciliations_.erase(sub);
  say(says::neg_close(wire_name(sub)));
}

void PeerLink::hear(nostr::relay_said::NegError& said) {
  const auto sub = sub_of(said.subscription);
  if (!sub || !reconciliations_.contains(*sub)) return context_.tell(sync::Heard{relay_, session_});
  refused(*sub, brief(std::move(said.text)), said.cap);
}

void PeerLink::refused(sync::Sub sub, std::string text, std::optional<std::uint64_t> cap) {
  const auto at = reconciliations_.find(sub);
  const auto middle = at->second->set ? middle_of(*at->second->set) : std::nullopt;
  reconciliations_.erase(at);
  context_.tell(sync::NegFailed{relay_, session_, sub, sync::NegProblem::Refused, std::move(text),
                                cap, middle});
}

}  // namespace graspd::serve
