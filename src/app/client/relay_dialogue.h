// What a client and a relay say to each other until one wish is fulfilled, without a socket.
//
//   R1  A challenge (NIP-42) is kept, and answered when the relay says "auth-required": who reads
//       in public need not tell who they are. Then the wish is said once more, and only once.
//   R2  A NOTICE is passed on to the person, whatever it says.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "nostr/event.h"
#include "nostr/relay_message.h"

namespace graspd::app {

using Words = std::vector<std::string>;  // messages to send, in order

class Talk {
 public:
  virtual ~Talk() = default;
  virtual Words begin() = 0;
  virtual Words hear(const nostr::RelayMessage& message) = 0;
  virtual bool finished() const = 0;
};

// Signs the answer to this challenge; nullopt when there is no key to do that with.
using AnswerChallenge = std::function<std::optional<nostr::Event>(const std::string& challenge)>;
using Notice = std::function<void(const std::string& text)>;

// R1
class Authentication {
 public:
  explicit Authentication(AnswerChallenge answer) : answer_(std::move(answer)) {}

  Words challenged(const std::string& challenge);
  // The wish was refused with this text. False: that has nothing to do with authentication, or it
  // was tried already. True: `words` go out, and the wish is said again after accepted().
  bool helps_against(const std::string& refusal, Words& words);
  bool is_mine(const nostr::EventId& id) const { return sent_ == id; }

 private:
  Words reply();

  AnswerChallenge answer_;
  std::optional<std::string> challenge_;
  std::optional<nostr::EventId> sent_;
  bool wanted_ = false;
};

struct RelayAnswer {
  bool accepted = false;
  std::string text;
};

class PublishTalk final : public Talk {
 public:
  PublishTalk(const nostr::Event& event, AnswerChallenge answer, Notice notice);
  Words begin() override;
  Words hear(const nostr::RelayMessage& message) override;
  bool finished() const override { return verdict_.has_value(); }
  const RelayAnswer& verdict() const { return *verdict_; }  // when finished

 private:
  Words decided(const nostr::relay_said::Ok& ok);

  const nostr::EventId id_;
  const std::string said_;
  Authentication authentication_;
  Notice notice_;
  std::optional<RelayAnswer> verdict_;
};

class ReadTalk final : public Talk {
 public:
  struct Wish {
    std::string filter;   // JSON
    bool follow = false;  // goes on behind what is stored
    std::function<void(const nostr::Event& event)> found;
  };
  ReadTalk(Wish wish, AnswerChallenge answer, Notice notice);
  Words begin() override;
  Words hear(const nostr::RelayMessage& message) override;
  bool finished() const override { return verdict_.has_value(); }
  const RelayAnswer& verdict() const { return *verdict_; }  // when finished

 private:
  const Wish wish_;
  Authentication authentication_;
  Notice notice_;
  std::optional<RelayAnswer> verdict_;
};

}  // namespace graspd::app
