// An Exchange on a connection of the server: its rules are those of net/exchange.h.
//
//   R1  It borrows the connection's stream until detach(); afterwards all operations fail.
//   R2  Reading a body that does not arrive in time fails; the response is still sent.
//   R3  The response says `Connection: close` if the rest of the request's body is not worth
//       reading: kDrainBytesMax, kDrainMax, or a client that still waits for permission to send it.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>

#include "net/batched_stream.h"
#include "net/exchange.h"
#include "net/network_thread.h"
#include "net/request_body.h"
#include "net/request_parser.h"
#include "net/response_text.h"
#include "net/server.h"

namespace graspd::net {

class ServerExchange final : public Exchange {
 public:
  static constexpr std::size_t kDrainBytesMax = 1024 * 1024;
  static constexpr core::Duration kDrainMax{3'000};

  ServerExchange(BatchedStream& stream, NetworkThread& thread, const Handler& handler,
                 RequestHead head, const StreamOptions& options,
                 std::optional<Compression> compression);

  const http::Request& request() const override { return head_.request; }
  std::size_t thread() const override { return thread_.index(); }
  Task<core::Result<std::string_view, NetError>> read() override;
  std::optional<NetError> failure() const override { return failed_; }
  Task<bool> begin(http::Response head) override;
  Task<bool> write(std::string_view bytes) override;
  Task<bool> finish() override;
  Task<bool> respond(http::Response whole) override;
  Task<void> gone() override;

  // For the connection.
  Task<bool> conclude();  // the handler has returned; true: another request may follow
  // Ends the reading of a body that does not come, and of what is drained.
  void check_reading(core::Instant now);
  // Since the last call, `moved` bytes of the answer left. True: they leave too slowly.
  bool is_read_too_slowly(core::Duration since, std::uint64_t moved);
  void lost(NetError why);
  void detach();

 private:
  enum class Answer { None, Streaming, Given };

  bool open() const { return stream_ && stream_->open(); }
  class Deadline;
  void append_head(const http::Response& response, BodyEnd end);
  bool worth_draining() const;
  core::Result<std::string_view, NetError> next_bytes();
  void fail(NetError why);
  Task<void> fetch_more();
  Task<bool> drain();
  Task<bool> send(BatchedStream::Parts parts);
  Task<void> take_turns(std::size_t bytes);
  void release_view();
  void wake();
  void end_watch();

  BatchedStream* stream_;
  NetworkThread& thread_;
  const Handler& handler_;
  RequestHead head_;
  const StreamOptions options_;
  RequestBody body_;
  RateCredit read_credit_, write_credit_;

  std::size_t viewed_ = 0;  // of the stream's held bytes: given to the reader, not consumed
  std::optional<NetError> failed_;
  bool body_over_ = false;  // read to its end
  std::optional<core::Instant> deadline_;

  Answer answer_ = Answer::None;
  BodyEnd end_ = BodyEnd::Length;
  bool sends_body_ = true;
  bool keep_alive_ = false;
  bool draining_ = false;
  bool over_ = false;      // as gone() sees it
  std::size_t moved_ = 0;  // bytes since other connections had their turn
  std::optional<boost::asio::steady_timer> changed_;  // cancelled to wake gone()
};

}  // namespace graspd::net
