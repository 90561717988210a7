#include "net/request_parser.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <string>

namespace beast = boost::beast;

namespace graspd::net {
namespace {

using BeastParser = beast::http::request_parser<beast::http::string_body>;

std::uint16_t status_of(const beast::error_code& error) {
  if (error == beast::http::error::header_limit) return 431;
  if (error == beast::http::error::body_limit) return 413;
  return 400;
}

http::Method method_of(beast::http::verb verb) {
  if (verb == beast::http::verb::get) return http::Method::Get;
  if (verb == beast::http::verb::head) return http::Method::Head;
  if (verb == beast::http::verb::options) return http::Method::Options;
  if (verb == beast::http::verb::post) return http::Method::Post;
  return http::Method::Other;
}

}  // namespace

struct RequestParser::Parser {
  BeastParser beast;
  beast::error_code error;
};

RequestParser::RequestParser(const Limits& limits) : parser_(std::make_unique<Parser>()) {
  parser_->beast.eager(true);
  parser_->beast.header_limit(static_cast<std::uint32_t>(limits.header_bytes_max));
  parser_->beast.body_limit(limits.body_bytes_max);
}

RequestParser::~RequestParser() = default;

std::size_t RequestParser::put(std::string_view bytes) {
  beast::error_code error;
  const std::size_t taken = parser_->beast.put(boost::asio::buffer(bytes), error);
  if (error && error != beast::http::error::need_more) parser_->error = error;
  return taken;
}

RequestParser::State RequestParser::state() const {
  if (parser_->error) return State::Refused;
  if (parser_->beast.is_done()) return State::Done;
  return parser_->beast.is_header_done() ? State::Body : State::Head;
}

std::uint16_t RequestParser::refusal() const { return status_of(parser_->error); }

bool RequestParser::expects_continue() const {
  const auto& request = parser_->beast.get();
  return beast::iequals(request[beast::http::field::expect], "100-continue");
}

bool RequestParser::keep_alive() const { return parser_->beast.get().keep_alive(); }
bool RequestParser::is_http_1_1() const { return parser_->beast.get().version() == 11; }

http::Request RequestParser::take_request() {
  auto message = parser_->beast.release();
  http::Request request;
  request.method = method_of(message.method());
  request.target = std::string(message.target());
  for (const auto& field : message)
    request.headers.add(std::string(field.name_string()), std::string(field.value()));
  request.body = std::move(message.body());
  return request;
}

}  // namespace graspd::net
