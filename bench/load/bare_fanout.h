// The yardstick of a fan-out: as many bytes over as many loopback connections by bare send() calls
// of two threads, to the last receipt of a client that reads them all.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

namespace graspd::load {

class BareFanout {
 public:
  explicit BareFanout(std::size_t connections);
  ~BareFanout();
  BareFanout(const BareFanout&) = delete;

  double send_to_all(std::string_view bytes);  // seconds to the last receipt

 private:
  void connect_pair(int listener);
  void receive_all(std::size_t bytes_each);

  int epoll_fd_;
  std::vector<int> senders_, receivers_;
};

}  // namespace graspd::load
