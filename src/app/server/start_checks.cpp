#include "app/server/start_checks.h"

#include <fmt/format.h>
#include <fstream>
#include <iterator>

#include "core/trimmed.h"
#include "git/git_version.h"
#include "gitio/run.h"

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

core::Result<Done, std::string> expect_git() {
  constexpr std::string_view kRemedy =
      "install it (Debian: apt install git), or correct PATH in the environment of the server";
  // It answers in milliseconds; on a machine that is starting up everything takes longer.
  const gitio::RunLimits limits{.output_max = 4096, .deadline = std::chrono::seconds(30)};
  const auto answer = gitio::run(git::git_version_command(), "", limits);
  if (!answer) return Failure{fmt::format("git cannot be run: {}; {}", answer.error(), kRemedy)};
  const auto version = git::parse_git_version(answer->out);
  if (answer->status != 0 || !version) {
    return Failure{fmt::format("git does not say which version it is (exit code {}: {}); {}",
                               answer->status, core::trimmed(answer->out + answer->err), kRemedy)};
  }
  if (*version >= git::kOldestGit) return Done{};
  return Failure{fmt::format("git is too old: {} is installed, {}.{} or newer is needed; {}",
                             core::trimmed(answer->out), git::kOldestGit.major,
                             git::kOldestGit.minor, kRemedy)};
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
