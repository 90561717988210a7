#include "net/dialer_http.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/format.h>

namespace beast = boost::beast;

namespace graspd::net {
namespace {

using core::Failure;
using Parser = beast::http::response_parser<beast::http::string_body>;

constexpr std::uint32_t kHeaderBytesMax = 16 * 1024;

http::Response response_of(Parser& parser) {
  auto message = parser.release();
  http::Response response;
  response.status = static_cast<std::uint16_t>(message.result_int());
  for (const auto& field : message)
    response.headers.add(std::string(field.name_string()), std::string(field.value()));
  response.body = std::move(message.body());
  return response;
}

DialError error_of(const beast::error_code& error, const std::string& peer) {
  if (error == beast::http::error::body_limit || error == beast::http::error::header_limit)
    return {DialFailure::Failed, fmt::format("{} answered more than is asked for", peer)};
  if (error == beast::http::error::partial_message || error == beast::http::error::end_of_stream)
    return {DialFailure::Failed, fmt::format("{} hung up before the answer was complete", peer)};
  return {DialFailure::Failed, fmt::format("{} does not speak HTTP", peer)};
}

// Takes what can be taken; the rest of `text` has to be put again with more behind it.
beast::error_code put(Parser& parser, std::string& text) {
  beast::error_code error;
  text.erase(0, parser.put(boost::asio::buffer(text), error));
  if (error == beast::http::error::need_more) error = {};
  return error;
}

// The peer has finished: is that the end of the answer too?
beast::error_code end(Parser& parser) {
  beast::error_code error;
  if (!parser.got_some()) return beast::http::error::end_of_stream;
  parser.put_eof(error);
  if (!error && !parser.is_done()) error = beast::http::error::partial_message;
  return error;
}

}  // namespace

std::string request_text(const HttpRequest& request, const http::Headers& headers) {
  const auto& posted = request.posted;
  std::string text = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n",
                                 posted ? "POST" : "GET", request.path, request.host_header);
  for (const auto& [name, value] : headers.fields()) text += fmt::format("{}: {}\r\n", name, value);
  if (posted) text += fmt::format("Content-Length: {}\r\n", posted->size());
  return text + "\r\n" + posted.value_or("");
}

Task<core::Result<http::Response, DialError>> ask_over(std::shared_ptr<DialerStream> stream,
                                                       HttpRequest request,
                                                       HttpGetOptions options) {
  Parser parser;
  parser.eager(true);
  parser.header_limit(kHeaderBytesMax);
  parser.body_limit(options.body_bytes_max);
  stream->append(request_text(request, options.headers));
  std::string text;
  beast::error_code error;
  while (!error && !parser.is_done()) {
    const std::string more = co_await stream->receive();
    text += more;
    error = more.empty() ? end(parser) : put(parser, text);
  }
  stream->goodbye();
  if (error) co_return Failure{error_of(error, request.peer)};
  co_return response_of(parser);
}

}  // namespace graspd::net
