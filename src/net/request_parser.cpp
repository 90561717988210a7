#include "net/request_parser.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/none.hpp>
#include <string>
#include <string_view>

namespace beast = boost::beast;

namespace graspd::net {
namespace {

using BeastParser = beast::http::request_parser<beast::http::empty_body>;
using Field = beast::http::field;

http::Method method_of(beast::http::verb verb) {
  if (verb == beast::http::verb::get) return http::Method::Get;
  if (verb == beast::http::verb::head) return http::Method::Head;
  if (verb == beast::http::verb::options) return http::Method::Options;
  if (verb == beast::http::verb::post) return http::Method::Post;
  return http::Method::Other;
}

bool is_number(beast::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == beast::string_view::npos;
}

// The status that refuses it, or 0. Stricter than Beast, which takes "1, 1" for a length and an
// unknown coding for no body at all.
std::uint16_t check_framing(const BeastParser::value_type& message) {
  const std::size_t lengths = message.count(Field::content_length);
  const std::size_t codings = message.count(Field::transfer_encoding);
  if (lengths + codings == 0) return 0;
  if (lengths + codings > 1) return 400;
  if (lengths == 1) return is_number(message[Field::content_length]) ? 0 : 400;
  if (message.version() < 11) return 400;
  return beast::iequals(message[Field::transfer_encoding], "chunked") ? 0 : 501;
}

// R5
bool names_one_host(const BeastParser::value_type& message) {
  const std::size_t hosts = message.count(Field::host);
  return hosts == 1 || (hosts == 0 && message.version() < 11);
}

bool has_folded_line(std::string_view head) {
  for (auto end = head.find("\r\n"); end != std::string_view::npos; end = head.find("\r\n", end)) {
    end += 2;
    if (end < head.size() && (head[end] == ' ' || head[end] == '\t')) return true;
  }
  return false;
}

std::uint16_t check_head(const BeastParser::value_type& message, std::string_view text) {
  if (!names_one_host(message) || has_folded_line(text)) return 400;
  return check_framing(message);
}

BodyFraming framing_of(const BeastParser& parser) {
  if (parser.chunked()) return BodyFraming::chunked();
  return BodyFraming::length(parser.content_length().value_or(0));
}

bool begins_with(std::string_view text, std::string_view scheme) {
  return text.size() >= scheme.size() &&
         beast::iequals({text.data(), scheme.size()}, {scheme.data(), scheme.size()});
}

// R4
std::string origin_form(std::string target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!begins_with(target, scheme)) continue;
    target.erase(0, std::min(target.find_first_of("/?", scheme.size()), target.size()));
    return target.starts_with('/') ? target : '/' + target;
  }
  return target;
}

}  // namespace

struct RequestParser::Parser {
  BeastParser beast;
  std::uint16_t refusal = 0;
};

RequestParser::RequestParser(std::size_t header_bytes_max) : parser_(std::make_unique<Parser>()) {
  parser_->beast.header_limit(static_cast<std::uint32_t>(header_bytes_max));
  parser_->beast.body_limit(boost::none);
}

RequestParser::~RequestParser() = default;

std::size_t RequestParser::put(std::string_view bytes) {
  if (state() != State::Head) return 0;
  beast::error_code error;
  const std::size_t taken = parser_->beast.put(boost::asio::buffer(bytes), error);
  if (error == beast::http::error::need_more) return taken;
  if (error) {
    parser_->refusal = error == beast::http::error::header_limit ? 431 : 400;
  } else if (parser_->beast.is_header_done()) {
    parser_->refusal = check_head(parser_->beast.get(), bytes.substr(0, taken));
  }
  return taken;
}

RequestParser::State RequestParser::state() const {
  if (parser_->refusal != 0) return State::Refused;
  return parser_->beast.is_header_done() ? State::Done : State::Head;
}

std::uint16_t RequestParser::refusal() const { return parser_->refusal; }

RequestHead RequestParser::take() {
  const auto& message = parser_->beast.get();
  RequestHead head;
  head.framing = framing_of(parser_->beast);
  head.keep_alive = message.keep_alive();
  head.is_http_1_1 = message.version() == 11;
  head.expects_continue =
      head.is_http_1_1 && beast::iequals(message[Field::expect], "100-continue");
  head.request.method = method_of(message.method());
  head.request.target = origin_form(std::string(message.target()));
  for (const auto& field : message)
    head.request.headers.add(std::string(field.name_string()), std::string(field.value()));
  return head;
}

}  // namespace graspd::net
