// The whole contract between sync and the world: its inputs and its actions.
//
//   R1  Every input about a connection carries the Session of its Dial; an input of another session
//       is ignored.
//   R2  Inputs of one connection come in the order of its frames. A frame with an event becomes one
//       EventArrived; if its outcome is not known at once, one EventJudged always follows.
//   R3  The edge keeps the filters of each subscription and marks events that match none of them
//       (`matched`): they are counted here and otherwise ignored.
//   R4  The edge owns event bodies, challenges, keys, our inventory and the reconciler: messages
//       carry only heads.
//   R5  Every action is answered by exactly one input, or by the end of its session:
//       ReadInformation -> InformationRead, Dial -> Connected | DialFailed, Authenticate ->
//       Authenticated (or silence), LookUp -> LookedUp, NegOpen -> NegOpened, then it and each
//       NegContinue -> NegStepped | NegFailed (or silence).
//   R6  Disconnected comes once for every Connected, also after a HangUp.
//   R7  The edge finds out whether a peer is alive: it pings, and a session that is read from ends
//       when nothing was heard of the peer, not even a pong, for Options::silent_max.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/log.h"
#include "core/time.h"
#include "nostr/address.h"
#include "nostr/filter.h"
#include "nostr/message.h"
#include "nostr/outcome.h"
#include "nostr/relay_url.h"
#include "sync/names.h"
#include "sync/record.h"

namespace graspd::sync {

using Filters = std::shared_ptr<const std::vector<nostr::Filter>>;

// The filters that an event matches, a bit each in their order; the last bit stands for all beyond.
std::uint64_t matching_filters(const std::vector<nostr::Filter>& filters,
                               const nostr::Event& event);

// ---- the feed: what our own relay accepted, history first, then live

enum class Level : std::uint8_t {
  StateOnly,  // the announcement waits in purgatory: only states are followed
  Full,
};
struct RepoSeen {  // also when it replaces an older announcement
  nostr::Address repo;
  Level level = Level::Full;
  std::vector<std::string> relays, clones;  // as written
};
struct RepoGone {
  nostr::Address repo;
};
struct RootSeen {
  nostr::EventId id;
  std::vector<nostr::Address> repos;  // every one it tags with `a`
  core::UnixSeconds created_at = 0;
};
struct RootGone {
  nostr::EventId id;
};
struct RootTouched {  // an event about it was accepted: it is hot
  nostr::EventId id;
  core::UnixSeconds created_at = 0;
};
struct FeedHistoryEnded {};

// ---- connections

struct PeerInformation {  // what NIP-11 said; empty and nullopt where it was silent
  std::string software;
  std::optional<std::vector<int>> supported_nips;
  std::vector<std::string> supported_grasps;
  std::optional<std::uint64_t> max_subscriptions, max_filters, max_message_length, max_limit;
  std::optional<nostr::PublicKey> pubkey;
};
struct InformationRead {
  RelayId relay;
  Session session;
  std::optional<PeerInformation> information;  // nullopt: none to be had
};
enum class DialProblem : std::uint8_t {
  Network,       // refused, unreachable, timed out
  Name,          // the name has no address
  Tls,           // the certificate does not hold
  NotARelay,     // HTTP 404 and the like
  Forbidden,     // an address that must not be dialled
  TooManyCalls,  // HTTP 429
};
struct DialFailed {
  RelayId relay;
  Session session;
  DialProblem problem = DialProblem::Network;
  std::string text;
  std::optional<core::Duration> retry_after;
};
struct Connected {
  RelayId relay;
  Session session;
};
struct Disconnected {
  RelayId relay;
  Session session;
  std::string text;
  bool at_fault = false;  // the peer: the edge left it for what it did
};

// ---- what a relay says

struct Heard {  // a frame that says nothing of interest
  RelayId relay;
  Session session;
};
struct EventArrived {
  RelayId relay;
  Session session;
  Sub sub;
  nostr::EventId id;
  core::UnixSeconds created_at = 0;
  // Which of the subscription's filters it matches, a bit each (matching_filters); 0: none.
  std::uint64_t matched = 1;
  std::optional<nostr::Outcome> outcome;  // when it was known at once
};
struct EventJudged {
  RelayId relay;
  Session session;
  Sub sub;
  nostr::EventId id;
  core::UnixSeconds created_at = 0;
  nostr::Outcome outcome = nostr::Outcome::Stored;
};
struct EndOfStored {
  RelayId relay;
  Session session;
  Sub sub;
  nostr::Completeness completeness = nostr::Completeness::Unknown;
};
struct Closed {
  RelayId relay;
  Session session;
  Sub sub;
  std::string text;
};
struct Notice {
  RelayId relay;
  Session session;
  std::string text;
};
struct Authenticated {
  RelayId relay;
  Session session;
  bool accepted = false;
  std::string text;
};
struct NegOpened {  // it is on the wire: from now on silence means something
  RelayId relay;
  Session session;
  Sub sub;
};
struct NegStepped {
  RelayId relay;
  Session session;
  Sub sub;
  std::vector<nostr::EventId> need;  // the peer has them, we do not
  bool finished = false;             // else NegContinue sends the next message
  // Said with `finished`: our items in the set that the peer was asked to have, and those of them
  // that it does not have.
  std::uint64_t ours = 0, only_ours = 0;
};
enum class NegProblem : std::uint8_t {
  Refused,       // NEG-ERR, or CLOSED with this id
  OursTooLarge,  // our inventory passes NegOpen::items_max; nothing was sent
  OursUnread,    // our inventory could not be read; nothing was sent
};
struct NegFailed {
  RelayId relay;
  Session session;
  Sub sub;
  NegProblem problem = NegProblem::Refused;
  std::string text;
  std::optional<std::uint64_t> cap;         // the fourth element of NEG-ERR
  std::optional<core::UnixSeconds> middle;  // the median time of our items in the set
};

// ---- our own side

struct ReadingPaused {  // we do not read from the relay: its silence says nothing
  RelayId relay;
  Session session;
  bool over_budget = false;  // it sent more than it may; else we are behind with deciding
};
struct ReadingResumed {
  RelayId relay;
  Session session;
};

struct LookedUp {  // answers come in the order of the questions
  RelayId relay;
  Session session;
  std::vector<nostr::EventId> known;  // of those asked for: stored, held, refused or deleted
};
struct Restored {  // once, before anything else
  std::vector<RelayRecord> relays;
};
struct WantedAgain {  // refused once for lack of something that is here now
  nostr::RelayUrl url;
  std::vector<nostr::EventId> ids;
};
struct RetryWanted {  // by the operator
  nostr::RelayUrl url;
};
struct Alarm {};
struct StopWanted {};

using Input = std::variant<RepoSeen, RepoGone, RootSeen, RootGone, RootTouched, FeedHistoryEnded,
                           InformationRead, DialFailed, Connected, Disconnected, Heard,
                           EventArrived, EventJudged, ReadingPaused, ReadingResumed, EndOfStored,
                           Closed, Notice, Authenticated, NegOpened, NegStepped, NegFailed,
                           LookedUp, Restored, WantedAgain, RetryWanted, Alarm, StopWanted>;

// ---- what sync asks for

// How an event was found; the edge attaches it, with the relay, to what it hands to the intake.
enum class Source : std::uint8_t { Live, Historic, Daily };

struct ReadInformation {
  RelayId relay;
  Session session;
  nostr::RelayUrl url;
};
struct Dial {
  RelayId relay;
  Session session;
  nostr::RelayUrl url;
  core::Duration patience;
};
struct HangUp {
  RelayId relay;
  Session session;
  std::string why;
};
struct Subscribe {  // REQ
  RelayId relay;
  Session session;
  Sub sub;
  Source source = Source::Live;
  Filters filters;
};
struct Unsubscribe {  // CLOSE
  RelayId relay;
  Session session;
  Sub sub;
};
struct NegOpen {
  RelayId relay;
  Session session;
  Sub sub;
  nostr::Filter filter;
  std::size_t frame_bytes_max = 0;         // binary; hex doubles it
  std::optional<std::uint64_t> items_max;  // of our inventory
  // The repositories among which the peer was asked to have what matches; nullopt: any.
  std::optional<std::vector<nostr::Address>> asked = {};
};
struct NegContinue {
  RelayId relay;
  Session session;
  Sub sub;
};
struct NegClose {
  RelayId relay;
  Session session;
  Sub sub;
};
struct Authenticate {
  RelayId relay;
  Session session;
};
struct LookUp {  // are these known here, in whatever way?
  RelayId relay;
  Session session;
  std::vector<nostr::EventId> ids;
};
struct Save {  // for Restored at the next start
  RelayRecord record;
};
struct Forget {
  nostr::RelayUrl url;
};
struct Log {
  core::log::Level level = core::log::Level::Info;
  std::string text;
};
struct WakeAt {  // replaces the alarm armed before
  core::Instant at;
};

using Action = std::variant<ReadInformation, Dial, HangUp, Subscribe, Unsubscribe, NegOpen,
                            NegContinue, NegClose, Authenticate, LookUp, Save, Forget, Log, WakeAt>;
using Actions = std::vector<Action>;

}  // namespace graspd::sync
