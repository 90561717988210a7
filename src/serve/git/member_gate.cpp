#include "serve/git/member_gate.h"

#include <fmt/format.h>

#include "net/clock.h"

// g++ 12 confuses the allocation of coroutine frames with that of other types when it inlines them.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace graspd::serve {
namespace {

// R3: the exchange of somebody who must be a member for as long as it takes.
class MemberExchange final : public net::Exchange {
 public:
  MemberExchange(std::shared_ptr<net::Exchange> exchange, const nostr::PublicKey& member,
                 const Members& members)
      : exchange_(std::move(exchange)), member_(member), members_(members) {}

  const http::Request& request() const override { return exchange_->request(); }
  std::size_t thread() const override { return exchange_->thread(); }
  std::optional<net::NetError> failure() const override {
    if (is_removed()) return net::NetError::Closed;
    return exchange_->failure();
  }

  net::Task<core::Result<std::string_view, net::NetError>> read() override {
    if (is_removed()) co_return core::Failure{net::NetError::Closed};
    co_return co_await exchange_->read();
  }
  net::Task<bool> begin(http::Response head) override {
    if (is_removed()) co_return false;
    co_return co_await exchange_->begin(std::move(head));
  }
  net::Task<bool> write(std::string_view bytes) override {
    if (is_removed()) co_return false;
    co_return co_await exchange_->write(bytes);
  }
  net::Task<bool> finish() override {
    if (is_removed()) co_return false;
    co_return co_await exchange_->finish();
  }
  net::Task<bool> respond(http::Response whole) override {
    if (is_removed()) co_return false;
    co_return co_await exchange_->respond(std::move(whole));
  }
  net::Task<void> gone() override { return exchange_->gone(); }

 private:
  bool is_removed() const { return !members_.contains(member_); }

  const std::shared_ptr<net::Exchange> exchange_;
  const nostr::PublicKey member_;
  const Members& members_;
};

}  // namespace

MemberGate::MemberGate(std::string origin, std::string realm, Members& members)
    : realm_(std::move(realm)),
      members_(members),
      is_member_([&members](const nostr::PublicKey& key) { return members.contains(key); }),
      access_(std::move(origin)) {
  members.listen([this] {
    const std::lock_guard lock(mutex_);
    access_.members_changed(is_member_);
  });
}

std::shared_ptr<net::Exchange> MemberGate::admit(std::shared_ptr<net::Exchange> exchange) {
  const http::Request& request = exchange->request();
  const core::Now now = net::now();
  const auto claim = access_.claim(request.headers.get("Authorization"), request.path());
  if (!claim || !may_be_good(*claim, now) || !claim->is_signed()) return nullptr;
  {
    const std::lock_guard lock(mutex_);
    access_.accept(*claim, now.instant);
  }
  return std::make_shared<MemberExchange>(std::move(exchange), claim->event.pubkey, members_);
}

// A signature takes a hundred times as long as this, and is checked without the lock.
bool MemberGate::may_be_good(const relay::GitClaim& claim, core::Now now) {
  const std::lock_guard lock(mutex_);
  return access_.may_be_good(claim, now, is_member_);
}

http::Response MemberGate::refusal() const {
  http::Response refusal;
  refusal.status = 401;
  refusal.headers.add("WWW-Authenticate", fmt::format(R"(Nostr realm="{}", method="GET")", realm_));
  refusal.headers.add("WWW-Authenticate", fmt::format(R"(Basic realm="{}")", realm_));  // R2
  return refusal;
}

}  // namespace graspd::serve
