// Follows git's standard error while it talks to a remote, and concludes what went wrong.
//
//   R1  The facts come from the trace of the wire: whether a connection was made and a request
//       sent, and which status and type came back. The remote's own prose (`remote: ...`) proves
//       nothing.
//   R2  Refused wants are read from the one message that names them, and only wants count.
//   R3  Limited: a line is skipped beyond its first 4 KiB, and only facts are kept.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "git/fetch_failure.h"
#include "git/oid.h"

namespace graspd::git {

class FetchTalk {
 public:
  explicit FetchTalk(const std::vector<Oid>& wants = {}) : wants_(wants.begin(), wants.end()) {}

  void add(std::string_view piece);  // as it comes; lines may be cut anywhere
  void end();                        // nothing more comes

  bool requested() const { return requested_; }  // the connection stands, TLS included
  bool is_dumb() const { return dumb_; }         // an answer that is not of git's smart protocol
  const std::set<Oid>& refused() const { return refused_; }

  // After it ended with an exit code other than 0. `is_fetch`: objects were asked for.
  FetchError conclude(bool is_tls, bool is_fetch) const;

 private:
  void read_line(std::string_view line);
  void read_info(std::string_view text);
  void read_sent(std::string_view text);
  void read_header(std::string_view text);
  void read_complaint(std::string_view line);
  void read_refusal(std::string_view line);
  FetchFailure failure(bool is_tls, bool is_fetch) const;
  FetchFailure before_request(bool is_tls) const;
  std::optional<FetchFailure> by_status() const;

  const std::set<Oid> wants_;
  std::string line_;  // so far

  bool connected_ = false, requested_ = false, posted_ = false;
  bool smart_ = false, dumb_ = false;
  bool cut_ = false, out_of_memory_ = false, disk_full_ = false, refused_by_remote_ = false;
  int curl_code_ = 0;
  std::uint16_t status_ = 0;
  std::optional<core::Duration> retry_after_;
  std::set<Oid> refused_;
  std::string complaint_;  // the last
};

}  // namespace graspd::git
