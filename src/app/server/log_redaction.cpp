#include "app/server/log_redaction.h"

#include <algorithm>
#include <cctype>

namespace graspd::app {
namespace {

constexpr std::string_view kNpub = "npub1", kRefs = "refs/", kGit = ".git", kEnd = ": ";
constexpr std::size_t kNpubChars = 20;  // more than any word, fewer than a key
constexpr std::size_t kHexChars = 40;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

template <class Is>
std::size_t run_of(std::string_view text, const Is& is) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is) - text.begin());
}

// The length of the key, id or commit that `text` begins with; 0: with none.
std::size_t key_at(std::string_view text) {
  if (text.starts_with(kNpub)) {
    const std::size_t length = run_of(text, is_word);
    return length >= kNpubChars ? length : 0;
  }
  const std::size_t length = run_of(text, is_hex);
  return length >= kHexChars ? length : 0;
}

// R2: the length of the separator and the name.
std::size_t name_at(std::string_view text) {
  if (text.size() < 2 || (text[0] != '/' && text[0] != ':') || text[1] == ' ') return 0;
  if (const auto suffix = text.find(kGit); suffix != text.npos) return suffix + kGit.size();
  return std::min(text.find(kEnd), text.size());
}

}  // namespace

std::string redacted(std::string_view line) {
  std::string shown;
  while (!line.empty()) {
    if (const std::size_t key = key_at(line)) {
      shown += "***";
      line.remove_prefix(key);
      line.remove_prefix(name_at(line));
    } else if (line.starts_with(kRefs)) {  // R3
      shown += "refs/***";
      line.remove_prefix(run_of(line, [](char c) { return c > ' ' && c != '"' && c != '\''; }));
    } else {
      const std::size_t word = std::max<std::size_t>(1, run_of(line, is_word));
      shown += line.substr(0, word);
      line.remove_prefix(word);
    }
  }
  return shown;
}

}  // namespace graspd::app
