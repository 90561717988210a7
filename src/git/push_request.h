// What a client requests in a push: the command list that precedes the pack.
//
//   R1  The parser is strict, and git receives our own list: a line that two parsers could read
//       differently is rejected, never skipped. That includes push-cert, anything unknown, oids
//       that are not 40 lower-case hex digits, and a delimiter packet.
//   R2  `<old> <new> <ref>` with an optional line feed; capabilities follow a NUL on the first
//       command, and only there. Unknown capabilities are ignored; another object format is
//       rejected.
//   R3  `shallow <oid>` lines may precede the first command (a push from a shallow clone).
//   R4  Each ref once, in refs/heads, refs/tags or refs/nostr. From nothing to nothing is a
//       deletion of a ref that the client has not seen: some clients send that when a state was
//       faster.
//   R5  A rejection that leaves the list readable waits for its end, so that every command can be
//       answered: request() then holds all of them. Any other rejection is immediate.
//   R6  A lone flush is a probe (git asks whether it may send a big pack). If anything follows, it
//       is a push without commands, and rejected.
//   R7  Push options are read if the client announced them.
//   R8  Nothing is read beyond the list: take_rest() is the beginning of the pack.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/ip_address.h"
#include "git/oid.h"
#include "git/pkt_line.h"
#include "git/ref_name.h"

namespace graspd::git {

struct Command {
  Oid old_oid;
  Oid new_oid;
  RefName ref;

  bool is_delete() const { return new_oid.is_zero(); }
  bool operator==(const Command&) const = default;
};

struct Capabilities {
  bool report_status = false;
  bool report_status_v2 = false;
  bool side_band_64k = false;
  bool atomic = false;
  bool push_options = false;
  bool quiet = false;
  bool ofs_delta = false;
  bool delete_refs = false;

  bool operator==(const Capabilities&) const = default;
};

struct PushRequest {
  std::vector<Command> commands;
  Capabilities capabilities;
  std::vector<std::string> options;
  std::vector<Oid> shallow;
  core::IpAddress from;  // who asks; known to whoever has the connection
};

class PushParser {
 public:
  struct Limits {
    // Five times the refs of the largest repositories known.
    std::size_t commands_max = 50'000;
    // The whole list, options included: 50,000 commands of 300 bytes.
    std::size_t bytes_max = 16 * 1024 * 1024;
    std::size_t options_max = 100;
  };
  enum class State { NeedMore, Done, Refused, Probe };

  PushParser() = default;
  explicit PushParser(const Limits& limits) : limits_(limits) {}
  explicit PushParser(const core::IpAddress& from) { request_.from = from; }

  // After Done, bytes are only kept for take_rest(); after Refused they are dropped.
  State feed(std::string_view bytes);

  const PushRequest& request() const { return request_; }
  const std::string& reason() const { return reason_; }  // why it is Refused
  std::string take_rest() { return reader_.take_rest(); }

 private:
  enum class Section { Commands, Options };

  void read_packets();
  void read(const Pkt& pkt);
  void read_flush();
  void read_line(std::string_view line);
  void read_command(std::string_view line);
  void read_capabilities(std::string_view list);
  void read_shallow(std::string_view oid);
  void read_option(std::string_view option);
  void end_commands();
  void check(const Command& command);
  void check_unique();
  void object_to(std::string reason);  // refused when the list has ended (R5)
  void refuse(std::string reason);

  Limits limits_;
  PktReader reader_;
  PushRequest request_;
  State state_ = State::NeedMore;
  Section section_ = Section::Commands;
  bool begun_ = false;     // was there a command line?
  std::size_t bytes_ = 0;  // of the list so far
  std::string reason_;
};

}  // namespace graspd::git
