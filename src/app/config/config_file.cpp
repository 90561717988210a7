#include "app/config/config_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <optional>

#include "core/trimmed.h"

namespace graspd::app {
namespace {

using core::Failure;

bool is_key(std::string_view key) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !key.empty() && std::all_of(key.begin(), key.end(), allowed);
}

char unescaped(char c) {
  if (c == 'n') return '\n';
  if (c == 't') return '\t';
  return c;
}

// The text between quotes and what follows the closing one.
struct Quoted {
  std::string value;
  std::string_view rest;
};

std::optional<Quoted> read_quoted(std::string_view text) {
  const char quote = text.front();
  Quoted quoted;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == quote) {
      quoted.rest = core::trimmed(text.substr(i + 1));
      return quoted;
    }
    const bool escape = quote == '"' && text[i] == '\\' && i + 1 < text.size();
    quoted.value += escape ? unescaped(text[++i]) : text[i];
  }
  return std::nullopt;
}

core::Result<std::string, std::string> read_value(std::string_view text) {
  if (text.starts_with('"') || text.starts_with('\'')) {
    auto quoted = read_quoted(text);
    if (!quoted) return Failure{std::string("a quote is not closed")};
    if (!quoted->rest.empty() && !quoted->rest.starts_with('#')) {
      return Failure{std::string("there is text after the closing quote")};
    }
    return std::move(quoted->value);
  }
  if (text.starts_with('#')) return std::string();
  const auto comment = std::min(text.find(" #"), text.find("\t#"));
  return std::string(core::trimmed(text.substr(0, comment)));
}

}  // namespace

core::Result<ConfigFile, std::string> parse_config_text(std::string path, std::string_view text) {
  ConfigFile file{std::move(path), {}};
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = core::trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with("export ")) line = core::trimmed(line.substr(7));
    const auto equals = line.find('=');
    const auto key = core::trimmed(line.substr(0, equals));
    if (equals == std::string_view::npos || !is_key(key)) {
      return Failure{fmt::format(
          "{}:{}: is not KEY=VALUE; write one setting a line, # for comments", file.path, number)};
    }
    auto value = read_value(core::trimmed(line.substr(equals + 1)));
    if (!value) {
      return Failure{fmt::format("{}:{}: {}; quote the whole value or none of it", file.path,
                                 number, value.error())};
    }
    file.entries.push_back({std::string(key), *std::move(value), number});
  }
  return file;
}

core::Result<ConfigFile, std::string> read_config_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in.is_open() || in.bad()) {
    return Failure{
        fmt::format("cannot read the configuration file {}: {}", path, std::strerror(errno))};
  }
  return parse_config_text(path, text);
}

}  // namespace graspd::app
