#include "app/client/local_refs.h"

#include <filesystem>
#include <fmt/format.h>

#include "app/config/config.h"
#include "gitio/run.h"

namespace graspd::app {
namespace {

namespace fs = std::filesystem;
using core::Failure;
using core::Result;
using git::RefName;

constexpr std::string_view kProposals = "refs/heads/pr/";  // R2

// With the person's own environment: it is their repository and their git.
git::CommandLine git_in(const fs::path& folder, std::vector<std::string> arguments) {
  git::CommandLine command;
  command.argv = std::move(arguments);
  command.argv.insert(command.argv.begin(), "git");
  for (const auto& [name, value] : process_environment())
    command.env.push_back(fmt::format("{}={}", name, value));
  command.directory = folder.string();
  return command;
}

std::optional<RefName> head_of(const fs::path& folder) {
  const auto output = gitio::run(git_in(folder, {"symbolic-ref", "--quiet", "HEAD"}), "");
  if (!output || output->status != 0) return std::nullopt;
  const std::string_view text = output->out;
  return RefName::parse(text.substr(0, text.find('\n')));
}

}  // namespace

Result<LocalRefs, std::string> read_local_refs(const std::string& repository) {
  std::error_code error;
  const fs::path folder = fs::absolute(repository, error);
  if (error || !fs::is_directory(folder, error))
    return Failure{
        fmt::format("{} is not a folder; name your repository with --repository", repository)};
  const auto listing = gitio::run_ok(
      git_in(folder,
             {"for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/tags"}),
      "");
  if (!listing) {
    return Failure{
        fmt::format("cannot list the refs of {}: {}; name your repository with "
                    "--repository",
                    folder.string(), listing.error())};
  }
  auto refs = parse_ref_listing(*listing);
  if (!refs) return Failure{refs.error()};
  return LocalRefs{*std::move(refs), head_of(folder)};
}

Result<git::Refs, std::string> parse_ref_listing(std::string_view listing) {
  git::Refs refs;
  while (!listing.empty()) {
    const std::string_view line = listing.substr(0, listing.find('\n'));
    listing.remove_prefix(std::min(line.size() + 1, listing.size()));
    const auto oid = git::Oid::parse(line.substr(0, line.find(' ')));
    const auto name = RefName::parse(line.substr(std::min(line.find(' '), line.size() - 1) + 1));
    if (!oid || !name)
      return Failure{fmt::format("git listed a ref that cannot be announced: {}", line)};
    if (!name->text().starts_with(kProposals)) refs.emplace(*name, *oid);
  }
  return refs;
}

Result<LocalRefs, std::string> choose(const LocalRefs& refs,
                                      const std::vector<std::string>& branches, bool tags) {
  LocalRefs chosen;
  for (const auto& [name, oid] : refs.refs) {
    const bool is_tag = name.space() == RefName::Space::Tags;
    if (is_tag ? tags : branches.empty()) chosen.refs.emplace(name, oid);
  }
  for (const std::string& branch : branches) {
    const auto name = RefName::parse("refs/heads/" + branch);
    const auto found = name ? refs.refs.find(*name) : refs.refs.end();
    if (found == refs.refs.end())
      return Failure{fmt::format("there is no branch {} here; see git branch", branch)};
    chosen.refs.insert(*found);
    if (!chosen.head) chosen.head = name;
  }
  if (refs.head && chosen.refs.contains(*refs.head)) chosen.head = refs.head;
  if (!chosen.head && branches.empty()) {
    const auto is_branch = [](const auto& entry) {
      return entry.first.space() == RefName::Space::Heads;
    };
    const auto first = std::find_if(chosen.refs.begin(), chosen.refs.end(), is_branch);
    if (first != chosen.refs.end()) chosen.head = first->first;
  }
  return chosen;
}

}  // namespace graspd::app
