#include "serve/fetch/verify_request.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "grasp/note_text.h"
#include "relay/http_auth.h"

namespace graspd::serve {
namespace {

namespace note = grasp::note;
using grasp::Coordinate;

struct Wanted {
  std::optional<Coordinate> coordinate;
  std::optional<std::uint64_t> number, cursor;
};

std::optional<Coordinate> parse_path(std::string_view path) {
  if (!path.starts_with('/')) return std::nullopt;
  path.remove_prefix(1);
  const std::string_view npub = note::take(path, '/');
  return Coordinate::from_url_path(npub, path);
}

std::optional<Wanted> parse_wanted(std::string_view body) {
  Wanted wanted;
  while (!body.empty()) {
    std::string_view line = note::take(body, '\n');
    const std::string_view name = note::take(line, ' ');
    if (name == "repository" && !(wanted.coordinate = parse_path(line))) return std::nullopt;
    if (name == "number") wanted.number = note::number<std::uint64_t>(line);
    if (name == "cursor") wanted.cursor = note::number<std::uint64_t>(line);
  }
  return wanted;
}

std::string line_of(const grasp::VerificationAnswer& answer) {
  const std::string path = answer.repo.url_path();
  if (!answer.problem.empty()) {
    std::string problem = answer.problem;
    std::ranges::replace(problem, '\n', ' ');
    return fmt::format("broken {} {}\n", path, problem);
  }
  return fmt::format("{} {}\n", answer.declares ? "ok" : "nothing", path);
}

}  // namespace

http::Response verify_response(const VerifyRequestOptions& options, const http::Request& request,
                               core::UnixSeconds now) {
  const relay::HttpCall call{"POST", options.addresses, request.body};
  const auto author = relay::http_author(request.headers.get("Authorization"), call, now);
  if (!author) {
    auto refusal = http::text_response(401, fmt::format("not authorised: {}\n", author.error()));
    refusal.headers.add("WWW-Authenticate", "Nostr");
    return refusal;
  }
  if (*author != options.owner)
    return http::text_response(403, "not authorised: this is signed by somebody else's key\n");
  const auto wanted = parse_wanted(request.body);
  if (!wanted) return http::text_response(400, "a repository is named as /npub1…/identifier.git\n");
  const auto number = wanted->number ? wanted->number : options.ask(wanted->coordinate);
  if (!number)
    return http::text_response(404, "not hosted here, or without a state that anybody signed\n");
  const auto found = options.answers(*number, wanted->cursor.value_or(*number), wanted->coordinate);
  std::string text =
      fmt::format("number {}\ncursor {}\nwaiting {}\n", *number, found.cursor, found.waiting);
  for (const auto& answer : found.done) text += line_of(answer);
  return http::text_response(200, std::move(text));
}

}  // namespace graspd::serve
