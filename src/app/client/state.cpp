#include <cstdio>
#include <fmt/format.h>

#include "app/base/terminal.h"
#include "app/client/client_commands.h"
#include "app/client/client_key.h"
#include "app/client/drafts.h"
#include "app/client/local_refs.h"
#include "app/client/relay_client.h"
#include "app/database/database.h"

namespace graspd::app {
namespace {

using core::Failure;

// More names than this are no line to read: then patterns do.
constexpr std::size_t kNamesMax = 6;

// The branch or tag as people write it, or in full when both exist.
std::string name_for_push(const git::RefName& name, const git::Refs& refs) {
  const std::string short_name(name.short_name());
  const auto branch = git::RefName::parse("refs/heads/" + short_name);
  const auto tag = git::RefName::parse("refs/tags/" + short_name);
  const bool is_ambiguous = branch && tag && refs.contains(*branch) && refs.contains(*tag);
  return is_ambiguous ? name.text() : short_name;
}

// For a shell: it reads some characters that names of branches may hold.
std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:%@";
  if (word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

core::Result<LocalRefs, std::string> refs_of(const StateOptions& options) {
  const auto all = read_local_refs(options.repository);
  if (!all) return Failure{all.error()};
  auto chosen = choose(*all, options.branches, !options.no_tags);
  if (chosen && chosen->refs.empty())
    return Failure{std::string("there is nothing to announce: make a commit first")};
  return chosen;
}

void print_refs(const nostr::Event& event) {
  for (const nostr::Tag tag : event.tags) {
    if (tag.name() != "d") fmt::print("  {} {}\n", tag.name(), tag.value());
  }
}

}  // namespace

std::string push_command(const std::string& url, const git::Refs& refs, bool are_all) {
  std::string command = "git push " + quoted(url);
  if (are_all && refs.size() > kNamesMax)
    return command + " 'refs/heads/*' '^refs/heads/pr/*' 'refs/tags/*'";
  for (const auto& [name, oid] : refs) command += ' ' + quoted(name_for_push(name, refs));
  return command;
}

int publish_state(const StateOptions& options) {
  const auto relay = parse_relay(options.client.relay);
  if (!relay) return fail(relay.error());
  const auto keypair = client_key(options.client.key_file);
  if (!keypair) return fail(keypair.error());
  const auto identifier = parse_identifier(options.identifier);
  if (!identifier) return fail(identifier.error());
  const auto refs = refs_of(options);
  if (!refs) return fail(refs.error());
  const auto event =
      next_version(*relay, *keypair, state_draft(*identifier, refs->refs, refs->head));
  if (!event) return fail(event.error());
  const auto answer = publish_event(*relay, &*keypair, *event);
  if (!answer) return fail(answer.error());
  fmt::print("announced the state of {} as event {}\n", identifier->text(), event->id.hex());
  print_refs(*event);
  if (!answer->empty()) fmt::print("{} answered: {}\n", relay->text(), one_line(*answer));
  const std::string url = clone_url(*relay, {keypair->public_key(), *identifier});
  const bool are_all = options.branches.empty() && !options.no_tags;
  fmt::print("\nNow push exactly that:\n  {}\n", push_command(url, refs->refs, are_all));
  return 0;
}

}  // namespace graspd::app
