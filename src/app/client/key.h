// graspd key: the key that the client commands sign with.
#pragma once
#include <string>

namespace graspd::app {

struct KeyOptions {
  std::string key_file;      // empty: see client_key.h
  bool make_new = false;     // --new
  bool show_secret = false;  // --show-secret
};

int show_key(const KeyOptions& options);

}  // namespace graspd::app
