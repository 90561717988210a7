// The client commands against a relay that is played by hand: over a real socket, without a store.
#include "app/client/client_commands.h"

#include <fstream>
#include <gtest/gtest.h>
#include <mutex>

#include "app/base/temporary_folder_testing.h"
#include "app/client/client_key.h"
#include "app/client/relay_client.h"
#include "net/server.h"
#include "nostr/json.h"
#include "nostr/nip19.h"
#include "nostr/serialize.h"

namespace graspd::app {
namespace client_commands_test {

// Takes every event, and gives it to everybody; on demand only to those who authenticate.
class PlayedRelay final : public net::Handler {
 public:
  PlayedRelay() {
    auto listening = net::listen({"127.0.0.1", 0, std::nullopt}, {});
    if (!listening) throw std::runtime_error(listening.error());
    server_ = *std::move(listening);
    server_->start(*this);
  }
  std::string url() const { return "ws://127.0.0.1:" + std::to_string(server_->port()); }
  std::vector<nostr::Event> taken() {
    const std::lock_guard lock(mutex_);
    return taken_;
  }
  void put(const nostr::Event& event) {
    const std::lock_guard lock(mutex_);
    taken_.push_back(event);
  }

  bool wants_authentication = false;
  std::string answer;     // with every OK
  bool refuses = false;   // every event
  bool hangs_up = false;  // instead of answering

  http::Response respond(const http::Request&) override { return http::text_response(404, ""); }
  std::optional<http::Response> refuse_upgrade(const http::Request&) override {
    return std::nullopt;
  }
  void decorate(http::Headers&) const override {}
  net::Task<void> serve(std::shared_ptr<net::WebSocket> socket, http::Request,
                        std::size_t) override {
    nostr::JsonReader reader;
    bool trusted = !wants_authentication;
    if (wants_authentication) socket->write(nostr::relay_says::auth("prove it"));
    while (true) {
      const auto message = co_await socket->read();
      if (!message || hangs_up) co_return;
      const auto said = reader.client_message(message->text);
      if (!said) continue;
      if (const auto* publish = std::get_if<nostr::client::Publish>(&*said))
        socket->write(decided(publish->event, trusted));
      if (const auto* request = std::get_if<nostr::client::Request>(&*said))
        for (const std::string& word : found(*request, trusted)) socket->write(word);
      if (const auto* proof = std::get_if<nostr::client::Authenticate>(&*said)) {
        trusted = proof->event.tags.first("challenge") == "prove it" &&
                  nostr::signature_is_right(proof->event);
        socket->write(nostr::relay_says::ok(proof->event.id, trusted, ""));
      }
    }
  }

 private:
  std::string decided(const nostr::Event& event, bool trusted) {
    if (!trusted) return nostr::relay_says::ok(event.id, false, "auth-required: who are you?");
    if (!refuses) put(event);
    return nostr::relay_says::ok(event.id, !refuses, answer);
  }
  std::vector<std::string> found(const nostr::client::Request& request, bool trusted) {
    if (!trusted)
      return {nostr::relay_says::closed(request.subscription, "auth-required: who are you?")};
    std::vector<std::string> words;
    for (const nostr::Event& event : taken()) {
      if (request.filters.front().matches(event))
        words.push_back(nostr::relay_says::event(request.subscription, nostr::to_json(event)));
    }
    words.push_back(nostr::relay_says::eose(request.subscription, nostr::Completeness::Unknown));
    return words;
  }

  std::mutex mutex_;  // guards taken_
  std::vector<nostr::Event> taken_;
  std::unique_ptr<net::Server> server_;
};

class ClientCommands : public ::testing::Test {
 protected:
  ClientCommands() {
    client.relay = relay.url();
    client.key_file = (folder.path() / "key").string();
    keypair = *make_client_key(client.key_file);
  }
  // What a command says on standard output; `code` is what it must return.
  template <class Command, class Options>
  std::string said(Command command, const Options& options, int code = 0) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int returned = command(options);
    std::fflush(stdout);
    errors = ::testing::internal::GetCapturedStderr();
    const std::string output = ::testing::internal::GetCapturedStdout();
    EXPECT_EQ(returned, code) << output << errors;
    return output;
  }
  nostr::Event last() {
    const auto events = relay.taken();
    EXPECT_FALSE(events.empty());
    return events.empty() ? nostr::Event() : events.back();
  }
  AnnounceOptions announcement() const {
    AnnounceOptions options;
    options.client = client;
    options.identifier = "tool";
    return options;
  }

  TemporaryFolder folder;
  PlayedRelay relay;
  ClientOptions client;
  std::optional<nostr::Keypair> keypair;
  std::string errors;
};

TEST_F(ClientCommands, ShowTheKeyButNotTheSecret) {
  const std::string npub = nostr::nip19::npub(keypair->public_key()) + "\n";
  EXPECT_EQ(said(show_key, KeyOptions{client.key_file}), npub);
  EXPECT_EQ(said(show_key, KeyOptions{client.key_file, false, true}),
            npub + nostr::nip19::nsec(keypair->secret_key()) + "\n");
  EXPECT_EQ(said(show_key, KeyOptions{client.key_file, true}, 1), "");
  EXPECT_EQ(said(show_key, KeyOptions{client.key_file + "2", true}).substr(0, 5), "npub1");
}

TEST_F(ClientCommands, AnnounceAndSayWhatIsNext) {
  relay.answer = "purgatory: won't be served until git data arrives";
  const std::string text = said(announce, announcement());
  EXPECT_NE(text.find("answered: purgatory: won't be served"), std::string::npos);
  EXPECT_NE(text.find("graspd state tool --relay " + relay.url()), std::string::npos);
  EXPECT_NE(text.find("git clone http" + relay.url().substr(2) + "/npub1"), std::string::npos);
  EXPECT_NE(text.find("naddr1"), std::string::npos);
  EXPECT_EQ(last().kind, nostr::Kind{30617});
  EXPECT_EQ(last().pubkey, keypair->public_key());
}

TEST_F(ClientCommands, AnnounceANewerVersionWithinTheSameSecond) {
  said(announce, announcement());
  const nostr::Event first = last();
  said(announce, announcement());
  EXPECT_GT(last().created_at, first.created_at);
}

TEST_F(ClientCommands, OpenAnIssue) {
  IssueOptions options;
  options.client = client;
  options.repository = nostr::nip19::npub(keypair->public_key()) + "/tool";
  options.subject = "It is too good";
  options.text = "Make it worse.";
  const std::string text = said(open_issue, options);
  EXPECT_EQ(text, "opened issue " + last().id.hex() + "\n");
  EXPECT_EQ(last().content, "Make it worse.");
  EXPECT_EQ(last().tags.first("subject"), "It is too good");
}

TEST_F(ClientCommands, ReadWhatTheRelayHasAndLeaveOutWhatIsForged) {
  said(announce, announcement());
  nostr::Event forged = last();
  forged.content = "not what was signed";
  relay.put(forged);
  ReadOptions options;
  options.client = client;
  options.filter = R"({"kinds":[30617]})";
  EXPECT_EQ(said(read_events, options), nostr::to_json(relay.taken().front()) + "\n");
  EXPECT_NE(errors.find("left out"), std::string::npos);
  options.filter = R"({"kinds":[1]})";
  EXPECT_EQ(said(read_events, options), "");
}

TEST_F(ClientCommands, AuthenticateWhenTheyHaveTo) {
  relay.wants_authentication = true;
  said(announce, announcement());
  ReadOptions options;
  options.client = client;
  EXPECT_NE(said(read_events, options).find("30617"), std::string::npos);
}

TEST_F(ClientCommands, FailWithTheReason) {
  relay.refuses = true;
  relay.answer = "blocked: not here";
  EXPECT_EQ(said(announce, announcement(), 1), "");
  EXPECT_EQ(errors, "graspd: " + relay.url() + " refused it: blocked: not here\n");

  relay.hangs_up = true;
  said(announce, announcement(), 1);
  EXPECT_NE(errors.find("closed the connection"), std::string::npos);

  AnnounceOptions nobody = announcement();
  nobody.client.relay = "ws://127.0.0.1:1";
  said(announce, nobody, 1);
  EXPECT_NE(errors.find("graspd serve"), std::string::npos);

  nobody.client.relay = "127.0.0.1:7334";
  said(announce, nobody, 1);
  EXPECT_NE(errors.find("write ws://"), std::string::npos);

  AnnounceOptions keyless = announcement();
  keyless.client.key_file += ".missing";
  said(announce, keyless, 1);
  EXPECT_NE(errors.find("graspd key --new"), std::string::npos);

  StateOptions state;
  state.client = client;
  state.identifier = "tool";
  state.repository = folder.path().string();
  said(publish_state, state, 1);
  EXPECT_NE(errors.find("--repository"), std::string::npos);
}

TEST(Publish, TakesACompleteEventOrSignsADraft) {
  nostr::SecretKey::Bytes bytes{};
  bytes.back() = 3;
  const auto keypair = *nostr::Keypair::from(nostr::SecretKey(bytes));
  const auto event = event_signed_by(keypair, R"({"kind":1,"content":"hi"})", 100);
  ASSERT_TRUE(event) << event.error();
  EXPECT_EQ(event->created_at, 100);
  EXPECT_TRUE(checked_event(nostr::to_json(*event) + "\n"));

  nostr::Event forged = *event;
  forged.content = "no";
  EXPECT_FALSE(checked_event(nostr::to_json(forged)));
  EXPECT_NE(checked_event(R"({"kind":1})").error().find("--sign"), std::string::npos);
  EXPECT_TRUE(event_signed_by(keypair, nostr::to_json(forged), 100));
  EXPECT_FALSE(event_signed_by(keypair, "{}", 100));
  EXPECT_FALSE(
      event_signed_by(keypair, R"({"kind":1,"pubkey":")" + std::string(64, 'a') + "\"}", 100));
}

TEST(Read, SendsTheFilterWithItsLimit) {
  ReadOptions options;
  EXPECT_EQ(*filter_text(options), "{}");
  options.limit = 5;
  EXPECT_EQ(*filter_text(options), R"({"limit":5})");
  options.filter = "{ \"kinds\" : [1] }\n";
  EXPECT_EQ(*filter_text(options), "{ \"kinds\" : [1] ,\"limit\":5}");
  options.filter = R"({"limit":1})";
  EXPECT_FALSE(filter_text(options));
  for (const char* const wrong : {"", "[]", "{\"kinds\":7}", "kinds"}) {
    options.filter = wrong;
    EXPECT_FALSE(filter_text(options)) << wrong;
  }
}

}  // namespace client_commands_test
}  // namespace graspd::app
