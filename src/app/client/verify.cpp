#include "gitio/verify.h"

#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <sys/resource.h>
#include <thread>

#include "app/base/terminal.h"
#include "app/client/client_commands.h"
#include "app/client/drafts.h"
#include "app/client/owner_request.h"
#include "app/client/verify_lines.h"
#include "app/database/database.h"
#include "app/server/wiring.h"
#include "net/clock.h"
#include "serve/fetch/data_checks.h"
#include "serve/fetch/verification_words.h"

namespace graspd::app {
namespace {

using core::Failure;
using core::Result;
using Repository = std::optional<grasp::Coordinate>;

constexpr int kNotVerified = 2;
constexpr std::string_view kVerifyPath = "/api/verify";
// A look takes from a hundredth of a second to minutes: often enough for the first kind.
constexpr std::chrono::milliseconds kPollFirst{100}, kPollMax{2'000};

int not_verified(std::string_view why) {
  fmt::print(stderr, "graspd: {}\n", for_terminal(why));
  return kNotVerified;
}

std::string body_of(const Repository& repository, const std::optional<VerifyPortion>& before) {
  std::string body;
  if (repository) body += "repository " + repository->url_path() + "\n";
  if (before) body += fmt::format("number {}\ncursor {}\n", before->number, before->cursor);
  return body;
}

// R1 of app/client/client_commands.h: until all was looked at. The failure: no server answers.
Result<int, std::string> verify_there(const Settings& settings, const OwnerKey& owner,
                                      const std::string& url, const Repository& repository) {
  VerifyReport report;
  std::optional<VerifyPortion> portion;
  auto pause = kPollFirst;
  do {
    if (portion) {
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, kPollMax);
    }
    const auto answer =
        post_as_owner(settings, owner, url, kVerifyPath, body_of(repository, portion));
    if (!answer && !portion) return Failure{answer.error()};
    if (!answer) return not_verified(answer.error());
    if (answer->status != 200) return not_verified(said_in(*answer));
    portion = take_portion(answer->body, report);
    if (!portion) return not_verified("the server's answer cannot be read; is it a graspd?");
  } while (portion->waiting > 0);
  return report.finish();
}

struct Hosted {
  grasp::Coordinate repo;
  std::optional<grasp::RepoState> state;
};

std::vector<Hosted> hosted_in(const grasp::PolicySnapshot& policy, const store::EventStore& store,
                              const Repository& repository) {
  std::vector<Hosted> all;
  for (const grasp::Listing* listing : policy.catalog().served()) {
    const grasp::Coordinate& repo = listing->announcement.coordinate;
    if (repository && repo != *repository) continue;
    auto declared = serve::declared_data(policy, store, repo);
    all.push_back({repo, declared ? std::move(declared->state) : std::nullopt});
  }
  return all;
}

void look_into(const std::filesystem::path& root, const Hosted& hosted, VerifyReport& report) {
  using Is = VerifyReport::Result;
  const std::string name = hosted.repo.url_path().substr(1);
  if (!hosted.state) return report.add(Is::Nothing, name, {});
  const auto folder = root / hosted.repo.path();
  std::error_code ignored;
  if (!std::filesystem::exists(folder / "HEAD", ignored))
    return report.add(Is::Broken, name, "its folder is missing");
  const auto seen = gitio::verify(folder, hosted.state->refs, hosted.state->head);
  if (!seen) return report.add(Is::Broken, name, "it cannot be read: " + seen.error());
  report.add(seen->ok() ? Is::Ok : Is::Broken, name, serve::describe(*seen));
}

int verify_here(const Settings& settings, const OwnerKey& owner, const Repository& repository) {
  const auto store = open_database(settings, Access::Read);
  if (!store) return not_verified(store.error());
  auto options = host_options(settings, owner, settings.bind_port);
  if (!options) return not_verified(options.error());
  grasp::Policy policy(options->policy, **store);
  if (const auto loaded = policy.load(net::now().unix_seconds); !loaded)
    return not_verified(
        fmt::format("cannot read the event database: {}", store::describe(loaded.error())));
  const auto all = hosted_in(*policy.snapshot(), **store, repository);
  if (all.empty() && repository)
    return not_verified(fmt::format("{} is not hosted by {}", repository->path(),
                                    service_domain(settings, settings.bind_port)));
  ::setpriority(PRIO_PROCESS, 0, 10);  // whatever else runs here comes first
  VerifyReport report;
  for (const Hosted& hosted : all) look_into(options->hosting.root, hosted, report);
  return report.finish();
}

}  // namespace

int verify_repositories(const Settings& settings, const VerifyOptions& options) {
  Repository repository;
  if (!options.repository.empty()) {
    auto parsed = parse_repository(options.repository);
    if (!parsed) return not_verified(parsed.error());
    repository = *std::move(parsed);
  }
  const auto owner = owner_of(settings);
  if (!owner) return not_verified(owner.error());
  const auto there = verify_there(settings, *owner, options.url, repository);
  if (there) return *there;
  if (!options.url.empty()) return not_verified(there.error());
  fmt::print(stderr, "no server answers: reading the data folders directly\n");
  return verify_here(settings, *owner, repository);
}

}  // namespace graspd::app
