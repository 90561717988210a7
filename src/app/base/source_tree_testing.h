// For tests that compare the program with a file of its repository.
#pragma once
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace graspd::app {

inline std::string source_text(const std::string& path) {
  const auto root =
      std::filesystem::path(__FILE__).parent_path().parent_path().parent_path().parent_path();
  std::ifstream in(root / path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace graspd::app
