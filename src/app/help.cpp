#include "app/help.h"

#include <array>
#include <fmt/format.h>

#include "app/config/setting_table.h"
#include "core/check.h"

namespace graspd::app {
namespace {

constexpr std::array<CommandHelp, 17> kCommands{{
    {"serve", "", "Run the server (also when no command is given)",
     R"(Listens on 127.0.0.1:7334 and keeps its data in ./data unless configured otherwise. The
first start creates the relay's identity in .relay-owner.nsec: keep that file. SIGTERM or SIGINT
stops the server: clients get a moment to finish, and everything that was answered OK is on
disk.

  graspd serve
  graspd serve --domain relay.example.org --trusted-proxy-cidrs 127.0.0.1/32
)"},
    {"import", "[FILE] | --from-ngit RELAY GIT [--commit]",
     "Import events from JSON lines, or migrate an ngit-grasp server",
     R"(Reads one event per line and checks ids and signatures on all cores. Bad lines are
counted, the first few are named, and the rest is imported. Exits 1 if a line was bad. The
server must be stopped.

  graspd import events.jsonl
  zcat events.jsonl.gz | graspd import

--from-ngit reads the data folders of an ngit-grasp server (any version), which must be stopped.
It imports its events (all verified), deletions, events that wait for git data, repositories,
and its key if there is none here. Without --commit it only reports what it would do. The source
is only read. The target folders are RELAY_DATA_PATH and GIT_DATA_PATH, which must differ from
the source.

  graspd import --from-ngit old/relay old/git
  graspd import --from-ngit old/relay old/git --commit
)"},
    {"export", "[FILE] [--filter JSON]",
     "Export events as JSON lines (to standard output or a file)",
     R"(Without a filter, writes all events in the order they were accepted, so that an import
repeats history. With a filter (NIP-01), writes the matching events, newest first. Works while
the server runs.

  graspd export backup.jsonl
  graspd export --filter '{"kinds":[30617]}'
)"},
    {"check", "[--signatures]", "Check the integrity of the database",
     R"(Compares events, ids and indexes with each other; --signatures also verifies every
signature. Exits 0 if the database is sound, 1 if not. Works while the server runs.

  graspd check --signatures
)"},
    {"compact", "", "Return the space of removed events to the disk",
     R"(Rewrites the database without its free pages and reports how much space that saved. The
server must be stopped.

  graspd compact --relay-data-path /var/lib/graspd/relay
)"},
    {"backup", "DIRECTORY", "Back up the database, even while the server runs",
     R"(The backup is a consistent snapshot and a complete database: point --relay-data-path at
it to serve it. The whole database is checked first, and a damaged one is not copied. Only this
user can read the backup (directory 0700, file 0600). Keep a copy of .relay-owner.nsec with it.

  graspd backup /backups/relay-$(date +%F)
  graspd backup /backups/relay --replace      replace an earlier backup
)"},
    {"config", "", "Show every setting, its value and its source",
     R"(Reads flags, environment and file as serve does, and changes nothing.

  graspd config
  NGIT_MAX_CONNECTIONS=100 graspd config
)"},
    {"status", "[--url URL] [--json] [--health]",
     "Show the state of sync with other relays as a table",
     R"(Queries a running server: the one of this configuration, or the one at --url. Exits 0 if
all is well, 1 if a relay or repository is in trouble, 2 if no server answers. --json prints
everything. --health only checks whether the server answers: exits 0 if it does, otherwise 1.

  graspd status
  graspd status --url https://relay.example.org --json
)"},
    {"verify", "[REPOSITORY] [--url URL]",
     "Verify that the git data is what the signed states declare",
     R"(Verifies one repository (npub1…/identifier) or all of them, object by object, and prints
a line for each. A running server does the work, repairs what it can, and remembers the result.
The request is signed with the relay's own key, so run the command where the server runs. If no
server answers, the command reads the data folders itself and changes nothing. Exits 0 if all is
well, 1 if something is missing, 2 if it could not be determined.

  graspd verify
  graspd verify npub1…/my-tool
)"},
    {"sync", "URL [--filter JSON] [--down|--up|--both] [--dry-run] | retry RELAY [--url URL]",
     "Sync with a relay once, or make the server retry one now",
     R"(Compares the database with the relay (by NIP-77 if it can, otherwise page by page) and
fetches what is missing here. Fetched events pass the same checks as all others. If the server
runs, the command hands the events to it. Ctrl-C ends the command cleanly; run it again to
continue.

  --filter JSON            What to compare (NIP-01, no limit); repeatable [everything]
  --down, --up, --both     Fetch what is missing here, send what the relay lacks, or both [--down]
  --dry-run                Compare only
  --inactivity-limit SECS  Give up after this time without progress [60]
  --json                   Print the summary as one line of JSON

Exits 0 if complete, 1 if something was not fetched or sent, 2 if the command line or the
configuration is wrong, 3 if the relay cannot be reached, 130 after Ctrl-C.

`sync retry` ends every wait for this relay: backoff, pauses, failed requests. The request is
signed with the relay's own key, so run it where the server runs. Exits 1 if the relay is not
followed.

  graspd sync wss://relay.example.org --filter '{"kinds":[30617,30618]}'
  graspd sync wss://relay.example.org --both --dry-run
  graspd sync retry wss://relay.example.org
)"},
    {"key", "[--new] [--file FILE] [--show-secret]",
     "Create your signing key, or show your public key (npub)",
     R"(Your key is your identity: whoever has it signs in your name, on every relay. --new
creates one but never overwrites a file. The key is in ~/.config/graspd/key, or where --file or
NGIT_CLIENT_KEY_FILE says, and only you can read it. The npub is public; the secret is shown
only by --show-secret.

  graspd key --new
  graspd key
)"},
    {"credential", "[get|store|erase] [--key-file FILE]",
     "Sign in to private servers (GRASP-08), as a git credential helper",
     R"(git calls it: with get it reads what git needs a credential for, and prints a user name
and, as password, an event signed for that repository. Tell git once for each server:

  git config --global credential.https://git.example.org.helper '!graspd credential'
  git config --global credential.https://git.example.org.useHttpPath true

git clone, fetch and push then work as on any other server, if your key is a member's.
)"},
    {"announce", "IDENTIFIER [--name TEXT] [--description TEXT] [--relay URL] ...",
     "Announce your repository on a relay (NIP-34)",
     R"(Signs and sends the announcement, then prints the relay's answer and the next step. By
default the relay's server hosts the repository.

  --relay URL        Relay to send it to [ws://127.0.0.1:7334]
  --key-file FILE    Key to sign with: see graspd key
  --name, --description TEXT
  --clone URL        Where git clones it; repeatable [the relay's server]
  --relays URL       Where issues and patches go; repeatable [the relay]
  --web URL          Page about it; repeatable
  --maintainer NPUB  Somebody else who may push; repeatable
  --topic WORD       What it is about; repeatable
  --euc COMMIT       Its first commit, by which forks of one project find each other

  graspd announce my-tool --description "A tool of mine"
  graspd announce my-tool --relay wss://relay.example.org
)"},
    {"state", "IDENTIFIER [--repository FOLDER] [--branch NAME] [--no-tags] [--relay URL]",
     "Sign the commits your branches and tags point to",
     R"(Reads the branches, tags and HEAD of a local repository (the current folder, or
--repository) and signs them. The server accepts a push only if its result is exactly what was
signed. So run this command first, and then the push that it prints, each time. --branch
includes only that branch; repeatable. Branches named pr/… are left out: proposals are events.

  graspd state my-tool
  graspd state my-tool --repository ~/src/my-tool --branch main
)"},
    {"issue", "REPOSITORY --subject TEXT [TEXT] [--label WORD] [--relay URL]",
     "Open an issue in any repository",
     R"(REPOSITORY is naddr1…, npub1…/identifier, 30617:<owner in hex>:<identifier>, or the URL
that git clones. The text (Markdown) is the argument, or standard input.

  graspd issue npub1…/my-tool --subject "It does not build" "On Debian 12 it says: …"
  graspd issue npub1…/my-tool --subject "It does not build" --label bug < report.md
)"},
    {"publish", "[--sign] [--relay URL]", "Send an event from standard input",
     R"(Without --sign, the event must be complete and correctly signed. With --sign, the
command adds your key, the time (unless the event has one), the id and the signature. It prints
the event as sent to standard output.

  echo '{"kind":1,"tags":[],"content":"hello"}' | graspd publish --sign
  graspd publish --relay wss://relay.example.org < event.json
)"},
    {"read", "[FILTER] [--limit N] [--follow] [--relay URL]",
     "Read events from a relay as JSON lines",
     R"(FILTER is a NIP-01 filter; without one, everything is read. The command ends after the
stored events; --follow waits for new ones. Events with a wrong id or signature are left out,
with a note on standard error.

  graspd read '{"kinds":[30617]}' --limit 10
  graspd read '{"kinds":[1621]}' --follow --relay wss://relay.example.org
)"},
}};

constexpr std::string_view kOpening = R"(graspd: a Nostr relay and git host (GRASP)

Usage: graspd [COMMAND] [SETTINGS]

Commands:
)";

constexpr std::string_view kOptions = R"(
Options:
  -h, --help                       Show this text; `graspd COMMAND --help` for a command
      --help-all                   Show this text with all settings
  -V, --version                    Show the version
      --check-config               Check the configuration and exit
      --config FILE                Read settings from this file (also NGIT_CONFIG_FILE)

Every setting can be a flag (--max-connections 100), an environment variable
(NGIT_MAX_CONNECTIONS=100) or a line of a file (MAX_CONNECTIONS=100; by default .env in the working
directory). Flags override the environment, and the environment overrides the file.
)";

constexpr std::string_view kOthers =
    "\nThese are the common settings: graspd --help-all shows all.\n";

constexpr std::string_view kClosing = R"(
Examples:
  graspd                                      try it: ws://127.0.0.1:7334, data in ./data
  graspd --domain relay.example.org --bind-address 0.0.0.0:7334
  graspd config                               every setting, its value and its source
  graspd backup /backups/today                back up the database while the server runs

More: docs/configuration.md (all settings), README.md (getting started).
)";

constexpr std::size_t kColumn = 35;
constexpr std::size_t kWidth = 100;

void start_column(std::string& text, std::size_t used) {
  if (used >= kColumn) {
    text += '\n';
    used = 0;
  }
  text.append(kColumn - used, ' ');
}

// Two columns; a left side too long for its own gets a line to itself, the right side is wrapped.
void append_line(std::string& text, std::string_view left, std::string_view right) {
  text += fmt::format("  {}", left);
  start_column(text, left.size() + 2);
  while (right.size() > kWidth - kColumn) {
    const auto blank = right.rfind(' ', kWidth - kColumn);
    text += right.substr(0, blank);
    start_column(text, kColumn);
    right.remove_prefix(blank + 1);
  }
  text += fmt::format("{}\n", right);
}

void append_settings(std::string& text, HelpOf what) {
  const Setting* previous = nullptr;
  for (const Setting& setting : setting_table()) {
    if (what == HelpOf::CommonSettings && !setting.is_common) continue;
    if (previous == nullptr || previous->group != setting.group) {
      text += fmt::format("\n{}:\n", title(setting.group));
    }
    previous = &setting;
    const std::string name = setting.secret ? setting.variable() : setting.flag();
    append_line(text, fmt::format("{} {}", name, setting.type),
                fmt::format("{} [{}]", setting.help, default_of(setting)));
  }
}

}  // namespace

std::span<const CommandHelp> command_table() { return kCommands; }

std::string general_help(HelpOf what) {
  std::string text(kOpening);
  for (const CommandHelp& command : kCommands) {
    append_line(text, fmt::format("{} {}", command.name, command.usage), command.summary);
  }
  text += kOptions;
  append_settings(text, what);
  if (what == HelpOf::CommonSettings) text += kOthers;
  text += kClosing;
  return text;
}

std::string command_help(std::string_view name) {
  for (const CommandHelp& command : kCommands) {
    if (command.name != name) continue;
    return fmt::format(
        "graspd {}: {}\n\nUsage: graspd {} {}\n\n{}\nSettings work here too: see graspd "
        "--help-all.\n",
        name, command.summary, name, command.usage, command.text);
  }
  CHECK(false);
}

}  // namespace graspd::app
