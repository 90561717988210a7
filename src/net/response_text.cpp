#include "net/response_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <fmt/format.h>
#include <iterator>

namespace graspd::net {
namespace {

std::string_view reason_of(std::uint16_t status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 413:
      return "Content Too Large";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
  }
  return "Status";
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

std::string response_text(const http::Response& response, const Framing& framing) {
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
  const bool bodiless = response.status < 200 || response.status == 204 || response.status == 304;
  if (!bodiless) line("Content-Length", fmt::to_string(response.body.size()));
  line("Connection", framing.keep_alive ? "keep-alive" : "close");
  text += "\r\n";
  if (!bodiless && !framing.head_only) text += response.body;
  return text;
}

}  // namespace graspd::net
