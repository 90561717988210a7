#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

#include "app/base/standard_input.h"
#include "app/base/terminal.h"
#include "app/client/client_commands.h"
#include "app/client/client_key.h"
#include "app/client/drafts.h"
#include "app/client/relay_client.h"
#include "app/database/database.h"
#include "net/clock.h"

namespace graspd::app {
namespace {

using core::Failure;

core::Result<IssueRequest, std::string> wish_of(const IssueOptions& options) {
  auto repository = parse_repository(options.repository);
  if (!repository) return Failure{repository.error()};
  IssueRequest wish{*std::move(repository), options.subject, "", options.labels};
  if (options.text) {
    wish.text = *options.text;
  } else if (::isatty(STDIN_FILENO) == 0) {
    auto text = read_standard_input();
    if (!text) return Failure{text.error()};
    wish.text = *std::move(text);
  }
  return wish;
}

}  // namespace

int open_issue(const IssueOptions& options) {
  const auto relay = parse_relay(options.client.relay);
  if (!relay) return fail(relay.error());
  const auto keypair = client_key(options.client.key_file);
  if (!keypair) return fail(keypair.error());
  const auto wish = wish_of(options);
  if (!wish) return fail(wish.error());
  const auto event = signed_event(issue_draft(*wish), *keypair, net::now().unix_seconds);
  const auto answer = publish_event(*relay, &*keypair, event);
  if (!answer) return fail(answer.error());
  fmt::print("opened issue {}\n", event.id.hex());
  if (!answer->empty()) fmt::print("{} answered: {}\n", relay->text(), one_line(*answer));
  return 0;
}

}  // namespace graspd::app
