// What a client and a relay say to each other until one request is done, without a socket.
//
//   R1  A challenge (NIP-42) is kept, and answered when the relay says "auth-required": readers of
//       public data need not identify themselves. Then the request is repeated once.
//   R2  A NOTICE is shown to the user, whatever it says.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "nostr/event.h"
#include "nostr/relay_message.h"

namespace graspd::app {

using Frames = std::vector<std::string>;  // messages to send, in order

class Dialogue {
 public:
  virtual ~Dialogue() = default;
  virtual Frames begin() = 0;
  virtual Frames hear(const nostr::RelayMessage& message) = 0;
  virtual bool finished() const = 0;
};

// Signs the answer to this challenge; nullopt when there is no key to do that with.
using AnswerChallenge = std::function<std::optional<nostr::Event>(const std::string& challenge)>;
using Notice = std::function<void(const std::string& text)>;

// R1
class Authentication {
 public:
  explicit Authentication(AnswerChallenge answer) : answer_(std::move(answer)) {}

  Frames challenged(const std::string& challenge);
  // The wish was refused with this text. False: that has nothing to do with authentication, or it
  // was tried already. True: `words` go out, and the wish is said again after accepted().
  bool helps_against(const std::string& refusal, Frames& words);
  bool is_mine(const nostr::EventId& id) const { return sent_ == id; }

 private:
  Frames reply();

  AnswerChallenge answer_;
  std::optional<std::string> challenge_;
  std::optional<nostr::EventId> sent_;
  bool wanted_ = false;
};

struct RelayAnswer {
  bool accepted = false;
  std::string text;
};

class PublishDialogue final : public Dialogue {
 public:
  PublishDialogue(const nostr::Event& event, AnswerChallenge answer, Notice notice);
  Frames begin() override;
  Frames hear(const nostr::RelayMessage& message) override;
  bool finished() const override { return verdict_.has_value(); }
  const RelayAnswer& verdict() const { return *verdict_; }  // when finished

 private:
  Frames decided(const nostr::relay_said::Ok& ok);

  const nostr::EventId id_;
  const std::string said_;
  Authentication authentication_;
  Notice notice_;
  std::optional<RelayAnswer> verdict_;
};

class ReadDialogue final : public Dialogue {
 public:
  struct Wish {
    std::string filter;   // JSON
    bool follow = false;  // goes on behind what is stored
    std::function<void(const nostr::Event& event)> found;
  };
  ReadDialogue(Wish wish, AnswerChallenge answer, Notice notice);
  Frames begin() override;
  Frames hear(const nostr::RelayMessage& message) override;
  bool finished() const override { return verdict_.has_value(); }
  const RelayAnswer& verdict() const { return *verdict_; }  // when finished

 private:
  const Wish wish_;
  Authentication authentication_;
  Notice notice_;
  std::optional<RelayAnswer> verdict_;
};

}  // namespace graspd::app
