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

std::string_view in_words(FetchFailure failure) {
  switch (failure) {
    case FetchFailure::Name:
      return "host name not found";
    case FetchFailure::Forbidden:
      return "private address";
    case FetchFailure::Unreachable:
      return "unreachable";
    case FetchFailure::TimedOut:
      return "timed out";
    case FetchFailure::Tls:
      return "invalid or missing certificate";
    case FetchFailure::NotGit:
      return "not a git server";
    case FetchFailure::Unauthorized:
      return "authentication required";
    case FetchFailure::NotFound:
      return "no such repository";
    case FetchFailure::RateLimited:
      return "rate limited";
    case FetchFailure::Broken:
      return "connection lost";
    case FetchFailure::Lacks:
      return "has none of the missing objects";
    case FetchFailure::TooLarge:
      return "exceeds the size limit";
    case FetchFailure::Stalled:
      return "too slow";
    case FetchFailure::Corrupt:
      return "sent damaged objects";
    case FetchFailure::OurFault:
      return "cannot be stored here";
    case FetchFailure::Stopped:
      return "fetch cancelled";
  }
  CHECK(false);
}

}  // namespace graspd::git
