// One push over HTTP: the list of commands, the decision, the pack, the report.
//
//   R1  Messages for people go into the report, in the side-band, where git shows them. So a push
//       is answered 200 whatever is decided. Its body is read to the end first, within limits,
//       because git would report a broken pipe otherwise. Only a malformed body is answered 400.
//   R2  git receives our own command list: the new tips, as refs of a repository that only this
//       push sees. The client's ref names never reach git.
//   R3  git's report is read. The push continues only if git accepted every tip.
//   R4  If the client waits for long, it is told so in the side-band.
//   R5  Concurrent uploads are counted together, so that they do not exceed the available space.
//   R6  A push takes a process slot when it is accepted and its pack has begun, and returns it when
//       git has taken the pack.
//   R7  git_bounds.h has the limits for git; the report names the limit that a push exceeded.
//   R8  A push goes to a worker twice: when its commands are here, and when git has taken the pack.
#pragma once
#include <memory>
#include <string>

#include "git/exhausted.h"
#include "git/push_request.h"
#include "git/report.h"
#include "net/exchange.h"
#include "net/signal.h"
#include "serve/git/git_bounds.h"
#include "serve/git/git_meters.h"
#include "serve/git/git_slots.h"
#include "serve/git/held_body.h"
#include "serve/host/grasp_host.h"

namespace graspd::serve {

class PushExchange {
 public:
  // What it shares with the other requests, and whose it is.
  struct Place {
    GitSlots& slots;
    HeldBytes& held;
    core::IpAddress client;
    GitMemory memory;
  };

  // `repo`: as the target understands it.
  PushExchange(GraspHost& host, PushTarget& target, GitMeters& meters,
               std::shared_ptr<net::Exchange> exchange, grasp::Coordinate repo, const Place& place,
               core::Duration silence_max, core::Duration progress_interval);

  static net::Task<bool> run(std::shared_ptr<PushExchange> self);

 private:
  enum class Listened { Ready, Probe, Refused, Broken };

  net::Task<Listened> listen();
  net::Task<bool> respond(http::Response response);
  net::Task<bool> decide();
  net::Task<bool> refuse();
  // What a worker has found before the pack is received.
  struct Admitted {
    std::vector<git::Result> refusals;
    std::optional<gitio::Staging> staging;  // none: nothing is to be received
  };
  Admitted admit();
  net::Task<bool> receive_in_turn(std::optional<gitio::Staging> staging);
  net::Task<bool> receive(std::optional<gitio::Staging> staging);
  net::Task<std::optional<std::string>> take_pack(std::string staging_path);
  net::Task<bool> deliver(std::optional<gitio::Staging> staging);
  net::Task<bool> answer();
  net::Task<bool> begin_once();
  net::Task<bool> drain();
  net::Task<bool> complain();
  net::Task<std::optional<std::string_view>> pack_bytes();
  std::string own_commands() const;
  std::string in_words(std::string complaint) const;
  bool has_space_for(std::size_t bytes);
  std::string beyond_bounds(git::Exhausted what) const;
  bool sends_pack() const;

  template <class Work>
  auto patiently(Work work) -> net::Task<std::invoke_result_t<Work&>>;
  // Work on another thread, as this one knows of it.
  struct Progress {
    bool done = false;
    net::Signal word;
  };
  static net::Task<void> end_of(std::shared_ptr<Progress> progress);
  net::Task<void> reassure(std::shared_ptr<Progress> progress);
  template <class Work, class T>
  net::Task<void> carry_out(Work work, std::shared_ptr<std::optional<T>> result,
                            std::shared_ptr<Progress> progress);
  static net::Task<bool> gather(std::shared_ptr<std::string> report, std::string_view bytes);

  GraspHost& host_;
  PushTarget& target_;
  GitMeters& meters_;
  const std::shared_ptr<net::Exchange> exchange_;
  const grasp::Coordinate repo_;
  const core::Duration silence_max_, progress_interval_;
  git::PushParser parser_;
  const Place place_;
  HeldBody body_;
  std::optional<GitSlots::Slot> slot_;
  PushesUnderWay::Guard under_way_;
  bool begun_ = false, commands_sent_ = false;
  // The answer as far as it is known.
  std::string unpack_ = "ok";
  std::vector<git::Result> results_;
  std::string list_;  // own_commands(), while git reads it
  // The client's history ends where ours does not go on. Git is not told where that is: it would
  // look no further there, also not for what this push is not about, and so take in holes.
  bool is_shallow_ = false;
  git::ReceiveLimits limits_;
  git::Bounds bounds_;
  bool is_unsigned_ = false;
  // R5
  std::optional<ReceivedBytes::Share> share_;
  std::optional<std::uint64_t> space_, pulls_space_;
  bool is_beyond_space_ = false;
};

}  // namespace graspd::serve
