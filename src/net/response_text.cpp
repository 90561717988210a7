#include "net/response_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace graspd::net {
namespace {

constexpr auto kReasons = std::to_array<std::pair<std::uint16_t, std::string_view>>({
    {200, "OK"},
    {204, "No Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {507, "Insufficient Storage"},
});

std::string_view reason_of(std::uint16_t status) {
  const auto found = std::find_if(kReasons.begin(), kReasons.end(),
                                  [&](const auto& reason) { return reason.first == status; });
  return found == kReasons.end() ? "Status" : found->second;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

bool is_ours(std::string_view name) {
  constexpr std::array<std::string_view, 5> kOurs = {"Content-Length", "Connection", "Date",
                                                     "Server", "Transfer-Encoding"};
  return std::any_of(kOurs.begin(), kOurs.end(),
                     [&](std::string_view ours) { return same_name(name, ours); });
}

bool breaks_line(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

std::string http_date(core::UnixSeconds unix_seconds) {
  constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t time = unix_seconds;
  std::tm utc{};
  gmtime_r(&time, &utc);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays[utc.tm_wday], utc.tm_mday,
                     kMonths[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

}  // namespace

bool has_body(std::uint16_t status) { return status >= 200 && status != 204 && status != 304; }

std::string response_head(const http::Response& response, const Framing& framing, BodyEnd end) {
  std::string text;
  const auto line = [&](std::string_view name, std::string_view value) {
    fmt::format_to(std::back_inserter(text), "{}: {}\r\n", name, value);
  };
  fmt::format_to(std::back_inserter(text), "HTTP/1.1 {} {}\r\n", response.status,
                 reason_of(response.status));
  line("Server", kServerName);
  line("Date", http_date(framing.unix_seconds));
  for (const auto& [name, value] : response.headers.fields()) {
    if (!is_ours(name) && !breaks_line(name) && !breaks_line(value)) line(name, value);
  }
  if (has_body(response.status)) {
    if (end == BodyEnd::Length) line("Content-Length", fmt::to_string(response.body.size()));
    if (end == BodyEnd::LastChunk) line("Transfer-Encoding", "chunked");
  }
  line("Connection", framing.keep_alive ? "keep-alive" : "close");
  text += "\r\n";
  return text;
}

std::string response_text(const http::Response& response, const Framing& framing) {
  std::string text = response_head(response, framing, BodyEnd::Length);
  if (has_body(response.status) && !framing.head_only) text += response.body;
  return text;
}

}  // namespace graspd::net
