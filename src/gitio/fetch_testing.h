// For tests: an HTTP server that does as it is told, and one that serves repositories.
#pragma once
#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "core/check.h"
#include "gitio/run.h"

namespace graspd::gitio::testing {

struct HttpRequest {
  std::string method, path, query, body;
  std::map<std::string, std::string> headers;  // names in lower case

  std::string header(const std::string& name) const {
    const auto at = headers.find(name);
    return at == headers.end() ? "" : at->second;
  }
};

// The client's connection: one request each.
class HttpPeer {
 public:
  explicit HttpPeer(int fd) : fd_(fd) {}

  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  void answer(std::string_view status, std::string_view headers, std::string_view body) const {
    send(fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\nConnection: close\r\n{}\r\n{}", status,
                     body.size(), headers, body));
  }
  // Says nothing until the other side has gone.
  void wait_for_end() const {
    char byte = 0;
    while (::recv(fd_, &byte, 1, 0) > 0) {
    }
  }

  std::optional<HttpRequest> read() const {
    std::string bytes;
    std::size_t end = 0;
    while ((end = bytes.find("\r\n\r\n")) == std::string::npos)
      if (!read_more(bytes) || bytes.front() == kTlsHello) return std::nullopt;
    HttpRequest request = parse(bytes.substr(0, end + 2));
    const std::string length = request.header("content-length");
    const std::size_t size = end + 4 + (length.empty() ? 0 : std::stoul(length));
    while (bytes.size() < size)
      if (!read_more(bytes)) return std::nullopt;
    request.body = bytes.substr(end + 4);
    return request;
  }

 private:
  bool read_more(std::string& bytes) const {
    std::array<char, 65536> buffer;
    const ssize_t count = ::recv(fd_, buffer.data(), buffer.size(), 0);
    if (count > 0) bytes.append(buffer.data(), static_cast<std::size_t>(count));
    return count > 0;
  }
  static HttpRequest parse(std::string_view head) {
    HttpRequest request;
    const auto line = head.substr(0, head.find("\r\n"));
    const auto space = line.find(' ');
    const std::string target(line.substr(space + 1, line.rfind(' ') - space - 1));
    request.method = line.substr(0, space);
    request.path = target.substr(0, target.find('?'));
    if (target.find('?') != std::string::npos) request.query = target.substr(target.find('?') + 1);
    for (head.remove_prefix(line.size() + 2); !head.empty();) {
      const auto field = head.substr(0, head.find("\r\n"));
      std::string name(field.substr(0, field.find(':')));
      for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      request.headers[name] = field.substr(std::min(field.size(), name.size() + 2));
      head.remove_prefix(field.size() + 2);
    }
    return request;
  }

  static constexpr char kTlsHello = 0x16;
  int fd_;
};

// Accepts connections, as far as a client can see, and nobody answers.
class MutePort {
 public:
  MutePort() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(::bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    CHECK(::listen(fd_, 64) == 0);
    socklen_t size = sizeof address;
    CHECK(::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
  }
  MutePort(const MutePort&) = delete;
  MutePort& operator=(const MutePort&) = delete;
  ~MutePort() { ::close(fd_); }

  int fd() const { return fd_; }
  std::uint16_t port() const { return port_; }

 private:
  int fd_;
  std::uint16_t port_ = 0;
};

class HttpServer {
 public:
  using Handler = std::function<void(const HttpPeer& peer, const HttpRequest& request)>;

  explicit HttpServer(Handler handler) : handler_(std::move(handler)) {
    acceptor_ = std::thread([this] { accept_all(); });
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer() {
    ::shutdown(listener_.fd(), SHUT_RDWR);
    acceptor_.join();
    for (Client& client : clients_) {
      ::shutdown(client.fd, SHUT_RDWR);
      client.thread.join();
      ::close(client.fd);
    }
  }

  std::uint16_t port() const { return listener_.port(); }
  int requests() const { return requests_; }

 private:
  struct Client {
    int fd;
    std::thread thread;
  };
  void accept_all() {
    for (int fd = 0; (fd = ::accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
      Client& client = clients_.emplace_back(Client{fd, {}});
      client.thread = std::thread([this, fd] {
        const HttpPeer peer(fd);
        if (const auto request = peer.read()) {
          ++requests_;
          handler_(peer, *request);
        }
        ::shutdown(fd, SHUT_RDWR);
      });
    }
  }

  const Handler handler_;
  const MutePort listener_;
  std::thread acceptor_;
  std::list<Client> clients_;  // touched by the acceptor until it has ended
  std::atomic<int> requests_{0};
};

// What git's own CGI program answers, as a whole HTTP response. Objects are given by name as GRASP
// servers do.
inline std::string git_answer(const std::filesystem::path& root, const HttpRequest& request) {
  git::CommandLine command{.argv = {"git", "http-backend"}, .env = {}, .directory = "/"};
  command.env = {"PATH=/usr/local/bin:/usr/bin:/bin",
                 "HOME=/nonexistent",
                 "GIT_CONFIG_NOSYSTEM=1",
                 "GIT_HTTP_EXPORT_ALL=1",
                 "GIT_CONFIG_COUNT=2",
                 "GIT_CONFIG_KEY_0=uploadpack.allowAnySHA1InWant",
                 "GIT_CONFIG_VALUE_0=true",
                 "GIT_CONFIG_KEY_1=safe.directory",
                 "GIT_CONFIG_VALUE_1=*",
                 "GIT_PROJECT_ROOT=" + root.string(),
                 "PATH_INFO=" + request.path,
                 "QUERY_STRING=" + request.query,
                 "REQUEST_METHOD=" + request.method,
                 "CONTENT_TYPE=" + request.header("content-type"),
                 "CONTENT_LENGTH=" + std::to_string(request.body.size()),
                 "HTTP_CONTENT_ENCODING=" + request.header("content-encoding"),
                 "GIT_PROTOCOL=" + request.header("git-protocol")};
  const auto output = run(command, request.body);
  CHECK(output);
  const std::string status = output->out.starts_with("Status: ")
                                 ? output->out.substr(8, output->out.find('\r') - 8)
                                 : "200 OK";
  const std::size_t head = output->out.find("\r\n\r\n") + 4;
  return fmt::format("HTTP/1.1 {}\r\nConnection: close\r\nContent-Length: {}\r\n{}", status,
                     output->out.size() - head, output->out);
}

inline HttpServer::Handler serving(const std::filesystem::path& root) {
  return [root](const HttpPeer& peer, const HttpRequest& request) {
    peer.send(git_answer(root, request));
  };
}

}  // namespace graspd::gitio::testing
