// The commands that are clients of a relay or of a running server. Each returns its exit code.
//
// graspd verify: is the git data of the repositories what their newest states declare?
//
//   R1  A running server does the work: it verifies at once, object by object, repairs what it can
//       and remembers the results. If no server answers, the command reads the database and the git
//       folder itself and changes nothing.
//   R2  One line for each repository as soon as its result is known, then a summary line.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/client/drafts.h"
#include "app/client/relay_client.h"
#include "app/config/settings.h"
#include "core/result.h"
#include "core/time.h"
#include "git/ref_name.h"
#include "nostr/event.h"
#include "nostr/signature.h"

namespace graspd::app {

// graspd key: the key that the client commands sign with.

struct KeyOptions {
  std::string key_file;      // empty: see client_key.h
  bool make_new = false;     // --new
  bool show_secret = false;  // --show-secret
};

int show_key(const KeyOptions& options);

// graspd credential: a git credential helper for private services, see credential.h.

struct CredentialOptions {
  std::string action = "get";  // or store, erase
  std::string key_file;
};

int give_credential(const CredentialOptions& options);

// graspd announce: says that a repository exists and where (NIP-34, kind 30617).

struct AnnounceOptions {
  ClientOptions client;
  std::string identifier;
  std::string name, description, earliest_unique_commit;
  std::vector<std::string> clone, relays, web, topics, maintainers;
};

int announce(const AnnounceOptions& options);

// What is announced: where nothing is said, the relay's own server hosts the repository.
core::Result<AnnouncementRequest, std::string> announcement_request(const AnnounceOptions& options,
                                                                    const nostr::RelayUrl& relay,
                                                                    const nostr::PublicKey& author);

// graspd state: signs the commits that the branches and tags of a repository point to (NIP-34, kind
// 30618), which allows a push of them.

struct StateOptions {
  ClientOptions client;
  std::string identifier;
  std::string repository = ".";
  std::vector<std::string> branches;  // empty: all
  bool no_tags = false;
};

int publish_state(const StateOptions& options);

// The one push that leads to these refs. A server wants exactly them, tags too, in one go.
// `are_all`: they are all that the repository has.
std::string push_command(const std::string& url, const git::Refs& refs, bool are_all);

// graspd issue: opens an issue (NIP-34, kind 1621).

struct IssueOptions {
  ClientOptions client;
  std::string repository;  // as parse_repository reads it
  std::string subject;
  std::optional<std::string> text;  // nullopt: standard input, unless that is a terminal
  std::vector<std::string> labels;
};

int open_issue(const IssueOptions& options);

// graspd publish: sends any event, signing it first if asked to.

struct PublishOptions {
  ClientOptions client;
  bool sign = false;
};

int publish_any(const PublishOptions& options);

// A complete event whose id and signature are right.
core::Result<nostr::Event, std::string> checked_event(const std::string& json);
// One that is signed by this key, from whatever is written of it.
core::Result<nostr::Event, std::string> event_signed_by(const nostr::Keypair& keypair,
                                                        const std::string& json,
                                                        core::UnixSeconds now);

// graspd read: events of a relay as JSON lines.

struct ReadOptions {
  ClientOptions client;
  std::string filter = "{}";
  std::optional<std::uint64_t> limit;
  bool follow = false;
};

int read_events(const ReadOptions& options);

// The filter as it is sent. The failure is a sentence.
core::Result<std::string, std::string> filter_text(const ReadOptions& options);

// graspd status: the state of sync, as a table for a terminal.

struct StatusOptions {
  std::string url;    // of a running server; empty: the one of this configuration
  bool json = false;  // everything, for programs
  // Nothing but whether the server answers, for whoever watches its process.
  bool health = false;
};

// 0: all is well. 1: some relay is in trouble, or --health and it does not answer. 2: nobody could
// be asked.
int show_status(const Settings& settings, const StatusOptions& options);

// graspd sync retry: makes a running server retry a relay now, whatever it waits for.

struct SyncRetryOptions {
  std::string relay;
  std::string url;  // of a running server; empty: the one of this configuration
};

// Signed with the relay's own key (NIP-98): only its operator may.
int retry_relay(const Settings& settings, const SyncRetryOptions& options);

struct VerifyOptions {
  std::string repository;  // npub1…/identifier, or as parse_repository reads it; empty: all
  std::string url;         // of a running server; empty: the one of this configuration
};

// 0: all is well; 1: something is missing; 2: it could not be looked up.
int verify_repositories(const Settings& settings, const VerifyOptions& options);

}  // namespace graspd::app
