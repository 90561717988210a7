#include "serve/git/git_gate.h"

#include <fmt/format.h>

#include "net/later.h"

// g++ 12 confuses the allocation of coroutine frames with that of other types when it inlines them.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace graspd::serve {
namespace {

// As often as the next check looks whether it is back.
constexpr std::string_view kRetryAfterSeconds = "30";

bool is_fetch(const GitRoute& where) {
  return !where.pr_repository &&
         (where.ask == GitAsk::AdvertiseUpload || where.ask == GitAsk::Upload);
}

http::Response incomplete(const std::string& lacking, bool is_repaired) {
  auto response = http::text_response(
      503, fmt::format("This server has lost data of this repository: {}.\n{}", lacking,
                       is_repaired ? "It is being fetched again from the other servers of the "
                                     "announcement: try again later, or use one of them.\n"
                                   : "Use another server of the announcement; a maintainer can "
                                     "push it once more.\n"));
  response.headers.add("Retry-After", std::string(kRetryAfterSeconds));
  return response;
}

}  // namespace

net::Task<std::optional<http::Response>> refusal_for_loss(DataInspector* inspector,
                                                          Workers& workers, GitRoute where) {
  if (inspector == nullptr || !is_fetch(where)) co_return std::nullopt;
  auto loss = inspector->known_loss(where.coordinate);
  if (!loss) {
    net::PostFn post = [&workers](auto job) { workers.post(std::move(job)); };
    loss = co_await net::away(std::move(post), [inspector, &where] {
      return inspector->look_for_loss(where.coordinate);
    });
  }
  if (loss->empty()) co_return std::nullopt;
  co_return incomplete(*loss, inspector->repairs());
}

}  // namespace graspd::serve
