#include "git/fetch_failure.h"

#include "core/check.h"

namespace graspd::git {

std::string_view name(FetchFailure failure) {
  switch (failure) {
    case FetchFailure::Name:
      return "name";
    case FetchFailure::Forbidden:
      return "forbidden";
    case FetchFailure::Unreachable:
      return "unreachable";
    case FetchFailure::TimedOut:
      return "timed_out";
    case FetchFailure::Tls:
      return "tls";
    case FetchFailure::NotGit:
      return "not_git";
    case FetchFailure::Unauthorized:
      return "unauthorized";
    case FetchFailure::NotFound:
      return "not_found";
    case FetchFailure::RateLimited:
      return "rate_limited";
    case FetchFailure::Broken:
      return "broken";
    case FetchFailure::Lacks:
      return "lacks";
    case FetchFailure::TooLarge:
      return "too_large";
    case FetchFailure::Stalled:
      return "stalled";
    case FetchFailure::Corrupt:
      return "corrupt";
    case FetchFailure::OurFault:
      return "our_fault";
    case FetchFailure::Stopped:
      return "stopped";
  }
  CHECK(false);
}

}  // namespace graspd::git
