// Whatever an event says of repositories, what comes out keeps the promises of its types: a
// coordinate is one folder below another, a state names only refs and objects that git could have.
#include <cstdint>
#include <string>
#include <string_view>

#include "core/check.h"
#include "grasp/announcement.h"
#include "grasp/pr_repository.h"
#include "grasp/pull_request.h"
#include "grasp/references.h"
#include "grasp/repo_state.h"
#include "grasp/service.h"
#include "nostr/json.h"

namespace graspd::grasp {
namespace {

void check(const Coordinate& coordinate) {
  const std::string path = coordinate.path();
  CHECK(std::count(path.begin(), path.end(), '/') == 1);
  CHECK(path.find('\0') == path.npos);
  CHECK(!coordinate.identifier.text().empty() && coordinate.identifier.text() != "..");
  const std::string url = coordinate.url_path();
  const auto slash = url.find('/', 1);
  CHECK(Coordinate::from_url_path(url.substr(1, slash - 1), url.substr(slash + 1)) == coordinate);
}

void check_announcement(const nostr::Event& event) {
  static const Service kService = *Service::parse("grasp.example.org");
  const auto announced = parse_announcement(event);
  if (!announced) return;
  check(announced->coordinate);
  CHECK(!announced->roles.listed.contains(event.pubkey));
  if (lists_service(*announced, kService)) CHECK(!announced->clone.empty());
}

void check_state(const nostr::Event& event) {
  const auto state = parse_state(event);
  if (!state) return;
  for (const auto& [ref, oid] : state->refs) {
    CHECK(ref.space() == git::RefName::Space::Heads || ref.space() == git::RefName::Space::Tags);
    CHECK(!state->satisfiable || !oid.is_zero());
  }
}

void check_pull_request(const nostr::Event& event) {
  const PullRequest pull = parse_pull_request(event);
  CHECK(pull.repositories.size() <= kRepositoriesMax);
  for (const Coordinate& repository : pull.repositories) check(repository);
  static const Service kService = *Service::parse("grasp.example.org");
  for (const Coordinate& pr_repository : pr_repositories_for(pull, kService)) {
    check(pr_repository);
    CHECK(pr_repository.owner == event.pubkey);
    const std::string path = pr_repository_path(pr_repository);
    const auto slash = path.rfind('/');
    CHECK(parse_pr_repository_path(pr_repository.owner.hex(), path.substr(slash + 1)) ==
          pr_repository);
  }
}

}  // namespace
}  // namespace graspd::grasp

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graspd;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto event = nostr::JsonReader().event(text);
  if (!event) return 0;
  const grasp::References out = grasp::references_of(*event);
  CHECK(out.addresses.size() + out.ids.size() <= grasp::kReferencesMax);
  event->kind = grasp::kinds::kAnnouncement;
  grasp::check_announcement(*event);
  event->kind = grasp::kinds::kState;
  grasp::check_state(*event);
  event->kind = grasp::kinds::kPullRequest;
  grasp::check_pull_request(*event);
  return 0;
}
