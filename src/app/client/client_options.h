// What all commands that talk to a relay are told.
#pragma once
#include <string>

namespace graspd::app {

struct ClientOptions {
  std::string relay = "ws://127.0.0.1:7334";  // where `graspd serve` listens
  std::string key_file;                       // empty: see client_key.h
};

}  // namespace graspd::app
