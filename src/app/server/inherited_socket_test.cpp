#include "app/server/inherited_socket.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace graspd::app {
namespace inherited_socket_test {

class Socket {
 public:
  explicit Socket(std::uint32_t address) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(address);
    EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
  }
  ~Socket() { ::close(fd_); }
  void listen() { EXPECT_EQ(::listen(fd_, 1), 0); }
  int fd() const { return fd_; }

 private:
  int fd_;
};

Settings for_test(int fd) {
  Settings settings;
  settings.test = true;
  settings.test_listener_fd = fd;
  return settings;
}

TEST(InheritedSocket, IsNoneUnlessHandedOver) {
  const auto none = inherited_socket(Settings(), {});
  ASSERT_TRUE(none);
  EXPECT_EQ(*none, std::nullopt);
}

TEST(InheritedSocket, IgnoresWhatIsMeantForAnotherProcess) {  // R1
  const auto none = inherited_socket(Settings(), {{"LISTEN_FDS", "1"}, {"LISTEN_PID", "1"}});
  ASSERT_TRUE(none);
  EXPECT_EQ(*none, std::nullopt);
}

TEST(InheritedSocket, RefusesSeveral) {  // R1
  const auto several = inherited_socket(
      Settings(), {{"LISTEN_FDS", "2"}, {"LISTEN_PID", std::to_string(::getpid())}});
  ASSERT_FALSE(several);
  EXPECT_TRUE(several.error().starts_with("the service manager handed over 2 sockets"));
}

TEST(InheritedSocket, TakesATestsListeningLoopbackSocket) {  // R2
  Socket socket(INADDR_LOOPBACK);
  EXPECT_FALSE(inherited_socket(for_test(socket.fd()), {}));
  socket.listen();
  const auto taken = inherited_socket(for_test(socket.fd()), {});
  ASSERT_TRUE(taken) << taken.error();
  EXPECT_EQ(*taken, socket.fd());
}

TEST(InheritedSocket, RefusesATestSocketOpenToTheWorld) {  // R2
  Socket socket(INADDR_ANY);
  socket.listen();
  EXPECT_FALSE(inherited_socket(for_test(socket.fd()), {}));
}

TEST(InheritedSocket, RefusesWhatIsNoSocket) {  // R2
  EXPECT_FALSE(inherited_socket(for_test(9'999), {}));
}

}  // namespace inherited_socket_test
}  // namespace graspd::app
