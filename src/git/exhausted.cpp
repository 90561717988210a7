#include "git/exhausted.h"

#include "core/check.h"

namespace graspd::git {
namespace {

// As on every architecture that Linux calls by these numbers in git's complaints.
constexpr int kCpuTimeSignal = 24, kFileSizeSignal = 25, kFirstSignal = 128;

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

std::optional<Exhausted> exhausted(int status, std::string_view complaints) {
  if (has(complaints, "ut of memory") || has(complaints, "Cannot allocate memory"))
    return Exhausted::Memory;
  if (status == kFirstSignal + kCpuTimeSignal || has(complaints, "died of signal 24"))
    return Exhausted::Time;
  if (status == kFirstSignal + kFileSizeSignal || has(complaints, "died of signal 25") ||
      has(complaints, "File too large"))
    return Exhausted::FileSize;
  return std::nullopt;
}

std::string_view in_words(Exhausted what) {
  switch (what) {
    case Exhausted::Memory:
      return "the pack takes more memory to unfold than this server gives to git; "
             "push less at a time, or smaller files";
    case Exhausted::Time:
      return "the pack takes more time to check than this server gives to git; "
             "push less at a time";
    case Exhausted::FileSize:
      return "the pack is larger when it is complete than this server keeps; "
             "push less at a time, or smaller files";
  }
  CHECK(false);
}

}  // namespace graspd::git
