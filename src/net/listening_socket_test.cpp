#include "net/listening_socket.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

namespace graspd::net {
namespace listening_socket_test {

TEST(ListeningSocket, TakesNamesAndBothFamilies) {
  for (const char* address : {"127.0.0.1", "localhost", "::1", "[::1]", "0.0.0.0", "::"}) {
    auto socket = listening_socket({address, 0, std::nullopt});
    ASSERT_TRUE(socket) << address << ": " << socket.error();
    EXPECT_NE(local_port(*socket), 0) << address;
  }
}

TEST(ListeningSocket, SaysWhatToDoWhenTheAddressIsTaken) {  // R2
  auto first = listening_socket({"127.0.0.1", 0, std::nullopt});
  ASSERT_TRUE(first);
  const std::uint16_t port = local_port(*first);
  auto second = listening_socket({"127.0.0.1", port, std::nullopt});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error(), "127.0.0.1:" + std::to_string(port) +
                                " is in use: stop the other server or choose NGIT_BIND_ADDRESS");
}

TEST(ListeningSocket, SaysWhatToDoWhenTheAddressIsWrong) {  // R2
  auto name = listening_socket({"example.com", 1, std::nullopt});
  ASSERT_FALSE(name);
  EXPECT_EQ(name.error(), "example.com is not an IP address: correct NGIT_BIND_ADDRESS");
  auto foreign = listening_socket({"192.0.2.1", 0, std::nullopt});
  ASSERT_FALSE(foreign);
  EXPECT_NE(foreign.error().find("not an address of this machine"), std::string::npos);
}

TEST(ListeningSocket, TakesOverOneThatListens) {  // R1 R3
  auto first = listening_socket({"127.0.0.1", 0, std::nullopt});
  ASSERT_TRUE(first);
  const std::uint16_t port = local_port(*first);
  Endpoint endpoint;
  endpoint.inherited_fd = first->release();
  ::fcntl(*endpoint.inherited_fd, F_SETFD, 0);
  auto second = listening_socket(endpoint);
  ASSERT_TRUE(second);
  EXPECT_EQ(local_port(*second), port);
  EXPECT_EQ(::fcntl(second->get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

TEST(ListeningSocket, TakesOverNothingElse) {  // R1
  core::FileDescriptor idle(::socket(AF_INET, SOCK_STREAM, 0));
  core::FileDescriptor datagrams(::socket(AF_INET, SOCK_DGRAM, 0));
  for (const int fd : {idle.get(), datagrams.get(), 0, 9999}) {
    Endpoint endpoint;
    endpoint.inherited_fd = fd;
    EXPECT_FALSE(listening_socket(endpoint)) << fd;
  }
}

}  // namespace listening_socket_test
}  // namespace graspd::net
