#include <fmt/format.h>
#include <map>

#include "app/client/drafts.h"
#include "app/client/service_client.h"
#include "app/sync_once/sync_intake.h"
#include "net/clock.h"
#include "net/later.h"
#include "nostr/json.h"
#include "nostr/serialize.h"

namespace graspd::app {
namespace {

namespace said = nostr::relay_said;
namespace says = nostr::client_says;

constexpr std::size_t kIntakeAnswerBytesMax = 1024 * 1024;  // it has only OKs to say
constexpr core::Duration kAgainAfter{250};

class ServerIntake final : public EventIntake {
 public:
  explicit ServerIntake(std::shared_ptr<net::WebSocket> socket) : socket_(std::move(socket)) {}

  void submit(nostr::Event event) override {
    std::string text = says::event(nostr::to_json(event));
    socket_->write(text);
    on_the_way_[event.id] = std::move(text);
  }

  net::Task<std::vector<Judgement>> judgements() override {
    std::vector<Judgement> judged;
    while (judged.empty()) {
      const auto message = co_await socket_->read();
      if (!message) break;
      const bool again = hear(message->text, judged);
      if (!again) continue;
      co_await net::pause(kAgainAfter);
      send_again();
    }
    co_return judged;
  }

  void shut() override { socket_->close(net::CloseCode::Normal, ""); }

 private:
  // True: something has to be sent again, a little later.
  bool hear(std::string_view text, std::vector<Judgement>& judged) {
    const auto message = reader_.relay_message(text);
    if (!message) return false;
    const auto* ok = std::get_if<said::Ok>(&*message);
    if (ok == nullptr) return false;
    const auto at = on_the_way_.find(ok->id);
    if (at == on_the_way_.end()) return false;
    const auto outcome = outcome_of(ok->accepted, ok->text);
    if (!outcome) {
      again_.push_back(at->second);
      return true;
    }
    judged.push_back({ok->id, *outcome, ok->text});
    on_the_way_.erase(at);
    return false;
  }
  void send_again() {
    for (const std::string& text : std::exchange(again_, {})) socket_->write(text);
  }

  const std::shared_ptr<net::WebSocket> socket_;
  nostr::JsonReader reader_;
  std::map<nostr::EventId, std::string> on_the_way_;
  std::vector<std::string> again_;
};

net::DialTarget intake_of(const ServiceAddress& address) {
  return {address.host(), address.port(), address.path(), address.is_secure()};
}

// Events must not end up at somebody who happens to listen at our address.
net::Task<bool> has_identity(net::Dialer* dialer, net::DialTarget target, nostr::PublicKey key) {
  net::HttpGetOptions options;
  options.allow_private_addresses = true;
  options.headers.add("Accept", "application/nostr+json");
  const auto answer = co_await dialer->http_get(std::move(target), std::move(options));
  co_return answer &&
      answer->body.find(fmt::format("\"pubkey\":\"{}\"", key.hex())) != std::string::npos;
}

// NIP-42. A server sends its challenge when it is needed: a wrong answer makes it so.
net::Task<std::string> authenticate(std::shared_ptr<net::WebSocket> socket, nostr::RelayUrl self,
                                    nostr::Keypair keypair) {
  const auto answer_to = [&](std::string_view challenge) {
    return signed_event(authentication_draft(self, challenge), keypair, net::now().unix_seconds);
  };
  nostr::EventId awaited;
  socket->write(says::auth(nostr::to_json(answer_to("?"))));
  nostr::JsonReader reader;
  for (;;) {
    const auto heard = co_await socket->read();
    if (!heard) co_return std::string("it hung up");
    const auto message = reader.relay_message(heard->text);
    if (!message) continue;
    if (const auto* challenge = std::get_if<said::Challenge>(&*message)) {
      const nostr::Event answer = answer_to(challenge->text);
      awaited = answer.id;
      socket->write(says::auth(nostr::to_json(answer)));
    }
    const auto* ok = std::get_if<said::Ok>(&*message);
    if (ok == nullptr || ok->id != awaited) continue;
    co_return ok->accepted ? std::string() : "it says: " + ok->text;
  }
}

}  // namespace

std::optional<nostr::Outcome> outcome_of(bool accepted, std::string_view text) {
  using nostr::Outcome;
  if (accepted) {
    if (text.empty()) return Outcome::Stored;
    if (text.starts_with("duplicate: superseded")) return Outcome::Refused;
    return text.starts_with("duplicate:") ? Outcome::Known : Outcome::Held;
  }
  if (text.starts_with("rate-limited:")) return std::nullopt;
  if (text.starts_with("error:")) return Outcome::Failed;
  const bool forged =
      text.starts_with("invalid: the event id") || text.starts_with("invalid: the signature");
  return forged ? Outcome::Forged : Outcome::Refused;
}

net::Task<std::string> dial_own_server(net::Dialer* dialer, const Settings* settings,
                                       const OwnerKey* owner,
                                       std::unique_ptr<EventIntake>* intake) {
  const auto address = service_address(*settings, "");
  if (!address) co_return address.error();
  const std::string where = address->text();
  net::DialTarget target = intake_of(*address);
  const nostr::PublicKey key = owner->keypair.public_key();
  const bool ours = co_await has_identity(dialer, target, key);
  if (!ours) {
    co_return fmt::format(
        "the database is in use, and at {} no server of this identity answers; is another command "
        "at work, or NGIT_BIND_ADDRESS not that of the server?",
        where);
  }
  net::DialOptions options;
  options.allow_private_addresses = true;
  options.compression = false;
  options.message_bytes_max = kIntakeAnswerBytesMax;
  auto socket = co_await dialer->dial(std::move(target), std::move(options));
  if (!socket) co_return socket.error().text;
  nostr::RelayUrl self = service_url(*settings, settings->bind_port);
  nostr::Keypair keypair = owner->keypair;
  std::shared_ptr<net::WebSocket> open = *std::move(socket);
  const std::string refusal = co_await authenticate(open, std::move(self), std::move(keypair));
  if (!refusal.empty())
    co_return fmt::format("the server at {} does not know us: {}", where, refusal);
  *intake = std::make_unique<ServerIntake>(std::move(open));
  co_return std::string();
}

}  // namespace graspd::app
