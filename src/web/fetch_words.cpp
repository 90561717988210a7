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

std::string reason_in_words(const HuntedEvent& event) {
  return event.reason == "pull_request" ? "pull request" : event.reason;
}

}  // namespace

std::string wanted_in_words(const HuntStatus& hunt) {
  std::string list;
  for (const HuntedEvent& event : hunt.events) {
    list += (list.empty() ? "" : "; ") + reason_in_words(event);
    if (!event.id.empty()) list += " " + event.id.substr(0, kBriefOid);
  }
  return and_more(std::move(list), hunt.events_total, hunt.events.size());
}

std::string missing_in_words(const HuntStatus& hunt) {
  std::string list;
  for (const std::string& oid : hunt.first_missing)
    list += (list.empty() ? "" : ", ") + oid.substr(0, kBriefOid);
  if (hunt.missing > hunt.first_missing.size()) list += ", …";
  return fmt::format("{}: {}", counted(hunt.missing, "object"), list);
}

std::string source_in_words(const HuntSource& source, core::UnixSeconds now) {
  std::string said = brief_url(source.url) + ": " + source.words;
  if (source.busy_since) return fmt::format("{} for {}", said, span(now - *source.busy_since));
  return source.failed_at ? fmt::format("{} ({} ago)", said, span(now - *source.failed_at)) : said;
}

std::string sources_in_words(const HuntStatus& hunt, core::UnixSeconds now) {
  if (hunt.sources_total == 0)
    return hunt.tries == 0 && hunt.next_try ? "nobody was asked yet" : "nobody is named who has it";
  std::string list;
  for (const HuntSource& source : hunt.sources)
    list += (list.empty() ? "" : "; ") + source_in_words(source, now);
  return and_more(std::move(list), hunt.sources_total, hunt.sources.size());
}

std::string next_in_words(const HuntStatus& hunt, core::UnixSeconds now) {
  if (!hunt.next_try) return "under way";
  const std::string when = *hunt.next_try <= now ? "now" : "in " + span(*hunt.next_try - now);
  return hunt.tries == 0 ? when
                         : fmt::format("{}; tried {} in vain", when, counted(hunt.tries, "time"));
}

}  // namespace graspd::sync
