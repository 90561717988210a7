#include "sim/trace.h"

#include <fmt/format.h>

#include "sim/events.h"

namespace graspd::sim {
namespace {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};

std::string brief(const nostr::EventId& id) { return id.hex().substr(0, 8); }

// Seconds from the beginning of the world: what is older is negative.
std::string brief(std::optional<core::UnixSeconds> at) {
  return at ? fmt::format("{}", *at - kWorldBegins) : "-";
}

std::string brief(const std::vector<nostr::EventId>& ids) {
  std::string out = fmt::format("{} ids", ids.size());
  for (const nostr::EventId& id : ids) out += " " + brief(id);
  return out;
}

std::string brief(const nostr::Filter& filter) {
  std::string out = "{";
  if (filter.ids) out += brief(*filter.ids) + " ";
  for (const nostr::Kind kind : filter.kinds.value_or(std::vector<nostr::Kind>{}))
    out += fmt::format("k{} ", kind.value);
  for (const nostr::TagCondition& condition : filter.tags) {
    out += fmt::format("#{}=", condition.letter);
    for (const std::string& value : condition.values) {
      const std::size_t colon = value.rfind(':');
      out += (colon == std::string::npos ? value.substr(0, 8) : value.substr(colon + 1)) + " ";
    }
  }
  return out + fmt::format("{}..{} limit {}}}", brief(filter.since), brief(filter.until),
                           filter.limit ? fmt::format("{}", *filter.limit) : "-");
}

std::string brief(const sync::Filters& filters) {
  std::string out;
  for (const nostr::Filter& filter : *filters) out += " " + brief(filter);
  return out;
}

const char* brief(nostr::Outcome outcome) {
  constexpr const char* kNames[] = {"stored",    "known",  "held",  "refused",
                                    "postponed", "forged", "failed"};
  return kNames[static_cast<std::size_t>(outcome)];
}

template <class Message>
std::string head(const Message& message, const char* what) {
  return fmt::format("relay {} session {} {}", message.relay.value, message.session.value, what);
}
template <class Message>
std::string sub_head(const Message& message, const char* what) {
  return fmt::format("{} sub {}", head(message, what), message.sub.value);
}

}  // namespace

std::string in_words(const nostr::Event& event) {
  std::string out =
      fmt::format("{} kind {} at {}", brief(event.id), event.kind.value, brief(event.created_at));
  for (const nostr::Tag tag : event.tags) {
    out += fmt::format(" {}=", tag.name());
    for (std::size_t i = 1; i < tag.size(); ++i) out += std::string(tag[i]) + " ";
  }
  return out;
}

std::string in_words(const sync::Input& input) {
  return std::visit(
      Overloaded{
          [](const sync::RepoSeen& in) {
            std::string out = "repo seen " + in.repo.identifier;
            for (const std::string& relay : in.relays) out += " " + relay;
            return out;
          },
          [](const sync::RepoGone& in) { return "repo gone " + in.repo.identifier; },
          [](const sync::RootSeen& in) { return "root seen " + brief(in.id); },
          [](const sync::RootGone& in) { return "root gone " + brief(in.id); },
          [](const sync::RootTouched& in) { return "root touched " + brief(in.id); },
          [](const sync::FeedHistoryEnded&) { return std::string("feed history ended"); },
          [](const sync::InformationRead& in) { return head(in, "information"); },
          [](const sync::DialFailed& in) { return head(in, "dial failed: ") + in.text; },
          [](const sync::Connected& in) { return head(in, "connected"); },
          [](const sync::Disconnected& in) { return head(in, "disconnected: ") + in.text; },
          [](const sync::Heard& in) { return head(in, "heard"); },
          [](const sync::EventArrived& in) {
            return fmt::format("{} {} at {} {}{}", sub_head(in, "EVENT"), brief(in.id),
                               brief(in.created_at), in.matched != 0 ? "" : "unmatched ",
                               in.outcome ? brief(*in.outcome) : "");
          },
          [](const sync::EventJudged& in) {
            return fmt::format("{} {} {}", sub_head(in, "judged"), brief(in.id), brief(in.outcome));
          },
          [](const sync::ReadingPaused& in) { return head(in, "reading paused"); },
          [](const sync::ReadingResumed& in) { return head(in, "reading resumed"); },
          [](const sync::EndOfStored& in) {
            return fmt::format("{} hint {}", sub_head(in, "EOSE"),
                               static_cast<int>(in.completeness));
          },
          [](const sync::Closed& in) { return sub_head(in, "CLOSED") + " " + in.text; },
          [](const sync::Notice& in) { return head(in, "NOTICE ") + in.text; },
          [](const sync::Authenticated& in) { return head(in, "authenticated ") + in.text; },
          [](const sync::NegOpened& in) { return sub_head(in, "NEG opened"); },
          [](const sync::NegStepped& in) {
            return fmt::format("{} need {}{}", sub_head(in, "NEG-MSG"), brief(in.need),
                               in.finished ? " finished" : "");
          },
          [](const sync::NegFailed& in) { return sub_head(in, "NEG-ERR") + " " + in.text; },
          [](const sync::LookedUp& in) { return head(in, "looked up ") + brief(in.known); },
          [](const sync::Restored&) { return std::string("restored"); },
          [](const sync::WantedAgain& in) { return "wanted again " + brief(in.ids); },
          [](const sync::RetryWanted&) { return std::string("retry wanted"); },
          [](const sync::Alarm&) { return std::string("alarm"); },
          [](const sync::StopWanted&) { return std::string("stop wanted"); },
      },
      input);
}

std::string in_words(const sync::Action& action) {
  return std::visit(
      Overloaded{
          [](const sync::ReadInformation& a) {
            return head(a, "read information of ") + a.url.text();
          },
          [](const sync::Dial& a) { return head(a, "dial ") + a.url.text(); },
          [](const sync::HangUp& a) { return head(a, "hang up: ") + a.why; },
          [](const sync::Subscribe& a) {
            constexpr const char* kSources[] = {"live", "historic", "daily"};
            return fmt::format("{} {}{}", sub_head(a, "REQ"),
                               kSources[static_cast<std::size_t>(a.source)], brief(a.filters));
          },
          [](const sync::Unsubscribe& a) { return sub_head(a, "CLOSE"); },
          [](const sync::NegOpen& a) { return sub_head(a, "NEG-OPEN") + " " + brief(a.filter); },
          [](const sync::NegContinue& a) { return sub_head(a, "NEG-MSG"); },
          [](const sync::NegClose& a) { return sub_head(a, "NEG-CLOSE"); },
          [](const sync::Authenticate& a) { return head(a, "authenticate"); },
          [](const sync::LookUp& a) { return head(a, "look up ") + brief(a.ids); },
          [](const sync::Save& a) { return "save " + a.record.url.text(); },
          [](const sync::Forget& a) { return "forget " + a.url.text(); },
          [](const sync::Log& a) { return "log " + a.text; },
          [](const sync::WakeAt&) { return std::string("wake"); },
      },
      action);
}

}  // namespace graspd::sim
