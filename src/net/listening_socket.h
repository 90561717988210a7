// Opens the socket that the server listens on, or takes over an open one.
//
//   R1  An inherited socket must be a listening TCP socket.
//   R2  A failure is a sentence that says what to do about it.
//   R3  Children of this process inherit neither it nor the sockets it accepts.
#pragma once
#include <cstdint>
#include <string>

#include "core/file_descriptor.h"
#include "core/ip_address.h"
#include "core/result.h"
#include "net/server.h"

namespace graspd::net {

core::Result<core::FileDescriptor, std::string> listening_socket(const Endpoint& endpoint);
std::uint16_t local_port(const core::FileDescriptor& socket);

struct Accepted {
  core::FileDescriptor socket;
  core::IpAddress peer;
};
// The next waiting connection, or errno. Does not block.
core::Result<Accepted, int> accept_from(int listener);

}  // namespace graspd::net
