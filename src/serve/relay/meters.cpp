#include "serve/relay/meters.h"

#include <algorithm>

#include "core/check.h"

namespace graspd::serve {

std::size_t kind_label(nostr::Kind kind) {
  auto found = std::ranges::lower_bound(kLabelledKinds, kind.value);
  bool known = found != kLabelledKinds.end() && *found == kind.value;
  return known ? static_cast<std::size_t>(found - kLabelledKinds.begin()) : kLabelledKinds.size();
}

std::string_view kind_label_text(std::size_t label) {
  static const std::array<std::string, kKindLabels> texts = [] {
    std::array<std::string, kKindLabels> all;
    for (std::size_t i = 0; i < kLabelledKinds.size(); ++i)
      all[i] = std::to_string(kLabelledKinds[i]);
    all.back() = "other";
    return all;
  }();
  return texts[label];
}

std::string_view Meters::text(Rejection reason) {
  switch (reason) {
    case Rejection::Invalid:
      return "invalid";
    case Rejection::Policy:
      return "policy";
    case Rejection::Deleted:
      return "deleted";
    case Rejection::Vanished:
      return "vanished";
    case Rejection::Expired:
      return "expired";
    case Rejection::RateLimited:
      return "rate_limited";
  }
  CHECK(false);
}

void Meters::rejected(nostr::Kind kind, Rejection reason) {
  refused[kind_label(kind)][static_cast<std::size_t>(reason)] += 1;
}

void Meters::decided(nostr::Kind kind, store::Outcome outcome) {
  switch (outcome) {
    case store::Outcome::Stored:
      stored[kind_label(kind)] += 1;
      return;
    case store::Outcome::Duplicate:
      duplicates += 1;
      return;
    case store::Outcome::Superseded:
      superseded += 1;
      return;
    case store::Outcome::Deleted:
      return rejected(kind, Rejection::Deleted);
    case store::Outcome::Vanished:
      return rejected(kind, Rejection::Vanished);
    case store::Outcome::Expired:
      return rejected(kind, Rejection::Expired);
  }
  CHECK(false);
}

std::string_view Meters::heard_text(std::size_t index) {
  static constexpr std::array<std::string_view, std::variant_size_v<nostr::ClientMessage> + 1>
      kTexts{"EVENT",    "REQ",     "CLOSE",     "AUTH",     "COUNT",
             "NEG-OPEN", "NEG-MSG", "NEG-CLOSE", "malformed"};
  return kTexts[index];
}

constexpr std::array<std::string_view, 9> kSent{"EVENT", "OK",      "EOSE",    "CLOSED", "AUTH",
                                                "COUNT", "NEG-MSG", "NEG-ERR", "NOTICE"};

std::string_view Meters::sent_text(std::size_t index) { return kSent[index]; }

std::size_t Meters::sent_label(std::string_view message) {
  std::string_view verb = message.substr(std::min<std::size_t>(2, message.size()));
  auto begins = [&](std::string_view known) { return verb.starts_with(known); };
  auto found = std::ranges::find_if(kSent, begins);
  CHECK(found != kSent.end());
  return static_cast<std::size_t>(found - kSent.begin());
}

}  // namespace graspd::serve
