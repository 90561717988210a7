#include "web/fetch_words.h"

#include <algorithm>
#include <fmt/format.h>

#include "web/sync_summary.h"

namespace graspd::sync {
namespace {

constexpr std::size_t kBriefOid = 10;  // letters: enough to tell two apart
constexpr std::size_t kUrlBytesMax = 200;

std::string and_more(std::string list, std::size_t all, std::size_t listed) {
  if (all <= listed) return list;
  return fmt::format("{}{}{} more", list, list.empty() ? "" : "; ", all - listed);
}

std::string brief_url(const std::string& url) {  // a FetchUrl: ASCII
  return url.size() <= kUrlBytesMax ? url : url.substr(0, kUrlBytesMax) + "…";
}

std::string reason_in_words(const FetchEvent& event) {
  return event.reason == "pull_request" ? "pull request" : event.reason;
}

}  // namespace

std::string wanted_in_words(const FetchStatus& fetch) {
  std::string list;
  for (const FetchEvent& event : fetch.events) {
    list += (list.empty() ? "" : "; ") + reason_in_words(event);
    if (!event.id.empty()) list += " " + event.id.substr(0, kBriefOid);
  }
  return and_more(std::move(list), fetch.events_total, fetch.events.size());
}

std::string missing_in_words(const FetchStatus& fetch) {
  std::string list;
  for (const std::string& oid : fetch.first_missing)
    list += (list.empty() ? "" : ", ") + oid.substr(0, kBriefOid);
  if (fetch.missing > fetch.first_missing.size()) list += ", …";
  return fmt::format("{}: {}", counted(fetch.missing, "object"), list);
}

std::string source_in_words(const FetchSourceStatus& source, core::UnixSeconds now) {
  std::string said = brief_url(source.url) + ": " + source.words;
  if (source.busy_since) return fmt::format("{} for {}", said, span(now - *source.busy_since));
  return source.failed_at ? fmt::format("{} ({} ago)", said, span(now - *source.failed_at)) : said;
}

std::string sources_in_words(const FetchStatus& fetch, core::UnixSeconds now) {
  if (fetch.sources_total == 0)
    return fetch.tries == 0 && fetch.next_try ? "no server asked yet" : "no other server is named";
  std::string list;
  for (const FetchSourceStatus& source : fetch.sources)
    list += (list.empty() ? "" : "; ") + source_in_words(source, now);
  return and_more(std::move(list), fetch.sources_total, fetch.sources.size());
}

std::string next_in_words(const FetchStatus& fetch, core::UnixSeconds now) {
  if (!fetch.next_try) return "in progress";
  const std::string when = *fetch.next_try <= now ? "now" : "in " + span(*fetch.next_try - now);
  return fetch.tries == 0 ? when
                          : fmt::format("{}; {} failed", when, counted(fetch.tries, "attempt"));
}

}  // namespace graspd::sync
