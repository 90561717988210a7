#include "http/message.h"

#include <algorithm>

#include "core/ascii.h"
#include "core/trimmed.h"

namespace graspd::http {
namespace {

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return core::lower(x) == core::lower(y); });
}

bool list_has(std::string_view list, std::string_view token) {
  while (true) {
    const auto comma = list.find(',');
    if (same_word(core::trimmed(list.substr(0, comma)), token)) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

Response response(std::uint16_t status, std::string type, std::string body) {
  Response made{status, {}, std::move(body)};
  made.headers.add("Content-Type", std::move(type));
  return made;
}

}  // namespace

void Headers::add(std::string name, std::string value) {
  fields_.emplace_back(std::move(name), std::move(value));
}

std::optional<std::string_view> Headers::get(std::string_view name) const {
  for (const auto& [key, value] : fields_) {
    if (same_word(key, name)) return value;
  }
  return std::nullopt;
}

std::optional<std::string> Headers::joined(std::string_view name) const {
  std::optional<std::string> all;
  for (const auto& [key, value] : fields_) {
    if (!same_word(key, name)) continue;
    all = all ? *all + ", " + value : value;
  }
  return all;
}

bool Headers::has_token(std::string_view name, std::string_view token) const {
  return std::any_of(fields_.begin(), fields_.end(), [&](const auto& field) {
    return same_word(field.first, name) && list_has(field.second, token);
  });
}

std::string_view Request::path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

std::string_view Request::query() const {
  const auto mark = target.find('?');
  if (mark == std::string::npos) return {};
  return std::string_view(target).substr(mark + 1);
}

Response text_response(std::uint16_t status, std::string body) {
  return response(status, "text/plain; charset=utf-8", std::move(body));
}

Response json_response(std::uint16_t status, std::string body) {
  return response(status, "application/json; charset=utf-8", std::move(body));
}

}  // namespace graspd::http
