// The terminals a server was started from, if any. SIGHUP comes from an operator, and when such a
// terminal is closed: then nobody is left who would read again, and the server stops.
#pragma once
#include <initializer_list>
#include <vector>

namespace graspd::app {

class Terminals {
 public:
  explicit Terminals(std::initializer_list<int> descriptors = {0, 1, 2});
  bool are_gone() const;  // one of them is

 private:
  std::vector<int> terminals_;
};

}  // namespace graspd::app
