#include "app/start_checks.h"

#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace graspd::app {

using core::Done;
using core::Failure;

core::Result<Done, std::string> expect_certificates(const std::filesystem::path& file) {
  if (file.empty()) return Done{};
  std::ifstream in(file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (text.find("-----BEGIN") != std::string::npos) return Done{};
  return Failure{
      fmt::format("NGIT_SYNC_CA_FILE ({}) {}; name a PEM file that this user may read, or none",
                  file.string(), in.is_open() ? "holds no certificate" : "cannot be read")};
}

core::Result<Done, std::string> expect_git_folder(const std::filesystem::path& root) {
  std::error_code error;
  // Where pushes arrive.
  std::filesystem::create_directories(root / ".graspd" / "incoming", error);
  if (!error) return Done{};
  return Failure{fmt::format(
      "cannot write to the folder for git data, {}: {}; let this user write there, or name another "
      "with NGIT_GIT_DATA_PATH",
      root.string(), error.message())};
}

}  // namespace graspd::app
