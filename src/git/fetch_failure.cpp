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
      return "its name stands for no address";
    case FetchFailure::Forbidden:
      return "its address is private";
    case FetchFailure::Unreachable:
      return "nobody answers there";
    case FetchFailure::TimedOut:
      return "it does not answer in time";
    case FetchFailure::Tls:
      return "its certificate is not valid, or there is none";
    case FetchFailure::NotGit:
      return "it is no git server";
    case FetchFailure::Unauthorized:
      return "it wants to know who we are";
    case FetchFailure::NotFound:
      return "there is no such repository";
    case FetchFailure::RateLimited:
      return "it asks for a pause";
    case FetchFailure::Broken:
      return "it breaks off";
    case FetchFailure::Lacks:
      return "it has nothing of it";
    case FetchFailure::TooLarge:
      return "it sends more than is allowed";
    case FetchFailure::Stalled:
      return "it is too slow";
    case FetchFailure::Corrupt:
      return "it sends damaged objects";
    case FetchFailure::OurFault:
      return "nothing can be stored here";
    case FetchFailure::Stopped:
      return "the fetch was ended";
  }
  CHECK(false);
}

}  // namespace graspd::git
