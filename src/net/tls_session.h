// The client's side of TLS as bytes in and bytes out, without a socket.
//
//   R1  TLS 1.2 or newer. The certificate must chain to an authority of the system (or of the extra
//       file) and be valid for the requested host: a name, or an address if that was requested.
//   R2  Between messages it holds no buffers: those of OpenSSL are released, ours are given away.
//   R3  What the peer sends may require an answer (a new key): call take_output() after each put().
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "core/result.h"

namespace graspd::net {

// What sessions share: authorities and settings. The failure is a sentence.
class TlsContext {
 public:
  static core::Result<std::shared_ptr<TlsContext>, std::string> make(
      const std::string& extra_ca_file);
  ~TlsContext();

 private:
  friend class TlsSession;
  struct Ssl;
  explicit TlsContext(std::unique_ptr<Ssl> ssl);
  std::unique_ptr<Ssl> ssl_;
};

class TlsSession {
 public:
  enum class State { Handshaking, Open, Ended, Failed };

  TlsSession(std::shared_ptr<TlsContext> context, const std::string& host);
  ~TlsSession();

  State state() const;
  const std::string& failure() const;  // why, when Failed

  void start();                         // makes the first words
  void put(std::string_view received);  // as it came from the network
  std::string take_output();            // for the network
  std::string take_plain();             // what the peer said
  void write(std::string_view plain);   // when Open
  void close();                         // a word of goodbye

 private:
  struct Ssl;
  void advance();
  void read_plain();
  void end_with(int result);

  std::shared_ptr<TlsContext> context_;
  std::unique_ptr<Ssl> ssl_;
};

}  // namespace graspd::net
