#include "sync/refusal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "core/ascii.h"

namespace graspd::sync {
namespace {

struct Row {
  std::string_view text;
  std::string_view also;  // must occur too, when not empty
  RefusalKind kind;
};
// In the order of the specification.
constexpr std::array kTable = {
    Row{"auth-required", "", RefusalKind::AuthRequired},
    Row{"authentication required", "", RefusalKind::AuthRequired},
    Row{"active subscriptions exceed max size", "bytes", RefusalKind::RetainedBytes},
    Row{"invalid number of filters", "", RefusalKind::FilterCount},
    Row{"max filter count", "", RefusalKind::FilterCount},
    Row{"too many negentropy items", "", RefusalKind::Size},
    Row{"too many", "records", RefusalKind::Size},
    Row{"too many", "results", RefusalKind::Size},
    Row{"too many negentropy subscriptions", "", RefusalKind::Concurrency},
    Row{"too many reqs", "", RefusalKind::Concurrency},
    Row{"too many concurrent", "", RefusalKind::Concurrency},
    Row{"too many", "subscription", RefusalKind::Concurrency},
    Row{"subscription limit", "", RefusalKind::Concurrency},
    Row{"rate", "limit", RefusalKind::RateLimit},
    Row{"too many", "", RefusalKind::RateLimit},
    Row{"slow down", "", RefusalKind::RateLimit},
    Row{"throttl", "", RefusalKind::RateLimit},
    Row{"unsupported filter", "", RefusalKind::BadFilter},
    Row{"invalid filter", "", RefusalKind::BadFilter},
    Row{"filter validation", "", RefusalKind::BadFilter},
    Row{"item too large", "", RefusalKind::BadFilter},
    Row{"limit", "positive", RefusalKind::LimitZero},
    Row{"limit", "must be", RefusalKind::LimitTooLarge},
    Row{"limit", "too large", RefusalKind::LimitTooLarge},
    Row{"limit", "too high", RefusalKind::LimitTooLarge},
    Row{"limit", "exceed", RefusalKind::LimitTooLarge},
    Row{"restricted", "", RefusalKind::Policy},
    Row{"blocked", "", RefusalKind::Policy},
    Row{"not a member", "", RefusalKind::Policy},
    Row{"membership", "", RefusalKind::Policy},
};

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::optional<std::uint64_t> number_after(std::string_view text, std::string_view mark) {
  text.remove_prefix(text.find(mark) + mark.size());
  const auto digit = text.find_first_of("0123456789");
  if (digit == std::string_view::npos) return std::nullopt;
  std::uint64_t number = 0;
  const auto [stopped, error] =
      std::from_chars(text.data() + digit, text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

}  // namespace

Refusal read_refusal(std::string_view raw) {
  const std::string text = core::lowered(raw);
  for (const Row& row : kTable) {
    if (!has(text, row.text) || !has(text, row.also)) continue;
    if (row.kind != RefusalKind::RetainedBytes) return {row.kind, std::nullopt};
    return {row.kind, number_after(text, row.text)};
  }
  return {};
}

bool is_too_large(std::string_view raw) {
  const std::string text = core::lowered(raw);
  const RefusalKind kind = read_refusal(raw).kind;
  if (kind == RefusalKind::Size || has(text, "too large") || has(text, "too big")) return true;
  const bool is_about_pace = has(text, "rate") || has(text, "quer") || has(text, "request");
  return kind == RefusalKind::RateLimit && has(text, "too many") && !is_about_pace;
}

const char* policy_category(std::string_view raw) {
  const std::string text = core::lowered(raw);
  switch (read_refusal(raw).kind) {
    case RefusalKind::AuthRequired:
      return "authentication_required";
    case RefusalKind::FilterCount:
      return "filter_count";
    case RefusalKind::BadFilter:
      return "filter_incompatible";
    case RefusalKind::Policy:
      if (has(text, "member")) return "membership_required";
      return has(text, "restricted") ? "restricted" : "blocked";
    case RefusalKind::RetainedBytes:
    case RefusalKind::Size:
    case RefusalKind::Concurrency:
    case RefusalKind::RateLimit:
    case RefusalKind::LimitZero:
    case RefusalKind::LimitTooLarge:
    case RefusalKind::Other:
      return nullptr;
  }
  return nullptr;
}

}  // namespace graspd::sync
