#include "app/help.h"

#include <array>
#include <fmt/format.h>

#include "app/config/setting_table.h"
#include "core/check.h"

namespace graspd::app {
namespace {

constexpr std::array<CommandHelp, 16> kCommands{{
    {"serve", "", "Serve the relay (also when no command is given)",
     R"(Listens on 127.0.0.1:7334 and keeps its data under ./data unless told otherwise. The
first start makes the relay's identity in .relay-owner.nsec: keep that file. SIGTERM or SIGINT
stops it: clients get a moment to finish, and everything answered OK is on disk.

  graspd serve
  graspd serve --domain relay.example.org --trusted-proxy-cidrs 127.0.0.1/32
)"},
    {"import", "[FILE] | --from-ngit RELAY GIT [--commit]",
     "Read events from JSON lines, or take over an ngit-grasp",
     R"(Every line is one event. Ids and signatures are checked on all cores; bad lines are counted,
the first few are named, and the rest is imported. Exit 1 when a line was bad. Not while serving.

  graspd import events.jsonl
  zcat events.jsonl.gz | graspd import

--from-ngit takes the data folders of an ngit-grasp (any version), which is stopped: its events, all
verified, what was deleted there, what waits for git data, its repositories, and its key if there
is none here. It says what it would do; with --commit it does it. The source is only read. The
folders to write to are the settings RELAY_DATA_PATH and GIT_DATA_PATH, which must be others.

  graspd import --from-ngit old/relay old/git
  graspd import --from-ngit old/relay old/git --commit
)"},
    {"export", "[FILE] [--filter JSON]", "Write events as JSON lines (standard output or a file)",
     R"(Everything in the order it was accepted, so that an import repeats history; with a filter
(NIP-01) what matches, newest first. Works beside a running server.

  graspd export backup.jsonl
  graspd export --filter '{"kinds":[30617]}'
)"},
    {"check", "[--signatures]", "Is the database sound?",
     R"(Compares events, ids and indexes with each other; --signatures also verifies who signed.
Exit 0 when sound, 1 when not. Works beside a running server.

  graspd check --signatures
)"},
    {"compact", "", "Give the space of removed events back to the disk",
     R"(Rewrites the database without its free pages and says how much that saved. Not while
serving.

  graspd compact --relay-data-path /var/lib/graspd/relay
)"},
    {"backup", "DIRECTORY", "Copy the database, also beside a running server",
     R"(The copy is one consistent moment and a database of its own: point --relay-data-path at it
to serve it. All of the database is checked first: a damaged one is not copied. The directory is
made for this user alone (0700, the file 0600). Keep a copy of .relay-owner.nsec with it.

  graspd backup /backups/relay-$(date +%F)
  graspd backup /backups/relay --replace      instead of an earlier backup, once it is complete
)"},
    {"config", "", "Show every setting, its value, and where that came from",
     R"(Reads flags, environment and file as serve would, and changes nothing.

  graspd config
  NGIT_MAX_CONNECTIONS=100 graspd config
)"},
    {"status", "[--url URL] [--json] [--health]", "How sync with other relays fares, as a table",
     R"(Asks a running server: the one of this configuration, or the one at --url. Exit 0 when all
is well, 1 when some relay is in trouble, 2 when nobody could be asked. --json shows everything.
--health only asks whether the server answers: exit 0 when it does, otherwise 1.

  graspd status
  graspd status --url https://relay.example.org --json
)"},
    {"verify", "[REPOSITORY] [--url URL]",
     "Look whether the git data is what the signed states declare",
     R"(Looks at one repository (npub1…/identifier) or at all of them, object by object, and prints
a line for each. A running server is asked to look; it repairs what it can, and remembers what it
found. It is asked with the relay's own key, so run this where it runs. When none answers, the
data folders are read without it, and nothing is changed. Exit 0 when all is well, 1 when
something is missing, 2 when it could not be looked up.

  graspd verify
  graspd verify npub1…/my-tool
)"},
    {"sync", "URL [--filter JSON] [--down|--up|--both] [--dry-run] | retry RELAY [--url URL]",
     "Reconcile with a relay, once; or have the server try one now",
     R"(Compares what is here with what the relay has (NIP-77 where it can, else page by page) and
fetches what is missing, through the same checks as everything else. Works beside a running
server, which then takes the events. Ctrl-C ends it in order; run it again to go on.

  --filter JSON            What to compare (NIP-01, no limit); may be given again [everything]
  --down, --up, --both     Fetch what is missing here, send what it lacks, or both [--down]
  --dry-run                Compare only
  --inactivity-limit SECS  Give up when nothing moves for so long [60]
  --json                   The summary as one line of JSON

Exit 0 when complete, 1 when something did not come or go, 2 when the command or the configuration
is wrong, 3 when the relay cannot be reached, 130 after Ctrl-C.

`sync retry` ends every wait for this relay: backoff, pauses, failed requests. It is signed with
the relay's own key, so it is run where the server runs. Exit 1 when it is not followed.

  graspd sync wss://relay.example.org --filter '{"kinds":[30617,30618]}'
  graspd sync wss://relay.example.org --both --dry-run
  graspd sync retry wss://relay.example.org
)"},
    {"key", "[--new] [--file FILE] [--show-secret]",
     "Make the key you sign with, or show who you are (npub)",
     R"(You are a key: whoever has it signs in your name, on every relay. --new makes one, but never
over an existing file. It lies in ~/.config/graspd/key, or where --file or NGIT_CLIENT_KEY_FILE
says, readable by you only. The npub is for everybody; the secret is shown only by --show-secret.

  graspd key --new
  graspd key
)"},
    {"announce", "IDENTIFIER [--name TEXT] [--description TEXT] [--relay URL] ...",
     "Announce a repository of yours on a relay (NIP-34)",
     R"(Signs and sends the announcement, tells what the relay answered, and what to do next. Unless
said otherwise the server of the relay hosts the repository.

  --relay URL        The relay to tell [ws://127.0.0.1:7334]
  --key-file FILE    The key to sign with: see graspd key
  --name, --description TEXT
  --clone URL        Where git clones it; may be given again [the relay's server]
  --relays URL       Where issues and patches go; may be given again [the relay]
  --web URL          A page about it; may be given again
  --maintainer NPUB  Somebody who may push too; may be given again
  --topic WORD       What it is about; may be given again
  --euc COMMIT       The first commit, by which forks of one project find each other

  graspd announce my-tool --description "A tool of mine"
  graspd announce my-tool --relay wss://relay.example.org
)"},
    {"state", "IDENTIFIER [--repository FOLDER] [--branch NAME] [--no-tags] [--relay URL]",
     "Sign where your branches and tags are, which allows their push",
     R"(Reads the branches, tags and HEAD of a local repository (this folder unless --repository
names one) and signs them. A push is allowed when it leads to exactly what was signed: state first,
then the push that this command prints, each time. --branch takes only that branch and may be given
again. Branches named pr/… are left out: proposals are events.

  graspd state my-tool
  graspd state my-tool --repository ~/src/my-tool --branch main
)"},
    {"issue", "REPOSITORY --subject TEXT [TEXT] [--label WORD] [--relay URL]",
     "Open an issue about anybody's repository",
     R"(REPOSITORY is naddr1…, npub1…/identifier, 30617:<owner in hex>:<identifier>, or the URL that
git clones. The text (Markdown) is the argument, or standard input.

  graspd issue npub1…/my-tool --subject "It does not build" "On Debian 12 it says: …"
  graspd issue npub1…/my-tool --subject "It does not build" --label bug < report.md
)"},
    {"publish", "[--sign] [--relay URL]", "Send any event from standard input",
     R"(Without --sign the event must be complete and rightly signed. With --sign it gets your key,
the time (unless it has one), its id and signature. The event as sent goes to standard output.

  echo '{"kind":1,"tags":[],"content":"hello"}' | graspd publish --sign
  graspd publish --relay wss://relay.example.org < event.json
)"},
    {"read", "[FILTER] [--limit N] [--follow] [--relay URL]",
     "Read events of a relay as JSON lines",
     R"(FILTER is a NIP-01 filter; without one everything is read. Ends when all that is stored was
read; --follow waits for more. Events whose id or signature is wrong are left out, with a word on
standard error.

  graspd read '{"kinds":[30617]}' --limit 10
  graspd read '{"kinds":[1621]}' --follow --relay wss://relay.example.org
)"},
}};

constexpr std::string_view kOpening = R"(graspd: a Nostr relay for git collaboration (GRASP)

Usage: graspd [COMMAND] [SETTINGS]

Commands:
)";

constexpr std::string_view kOptions = R"(
Options:
  -h, --help                       This text; `graspd COMMAND --help` for a command
  -V, --version                    The version
      --check-config               Say whether the configuration is right, and end
      --config FILE                Read settings from this file (also NGIT_CONFIG_FILE)

Every setting is a flag (--max-connections 100), an environment variable
(NGIT_MAX_CONNECTIONS=100) or a line of a file (MAX_CONNECTIONS=100; .env in the working directory
is read when present). Flags win over the environment, the environment over the file.
)";

constexpr std::string_view kClosing = R"(
Examples:
  graspd                                      try it: ws://127.0.0.1:7334, data under ./data
  graspd --domain relay.example.org --bind-address 0.0.0.0:7334
  graspd config                               what is set, and by whom
  graspd backup /backups/today                a copy, while the server runs

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

void append_settings(std::string& text) {
  const Setting* previous = nullptr;
  for (const Setting& setting : setting_table()) {
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

std::string general_help() {
  std::string text(kOpening);
  for (const CommandHelp& command : kCommands) {
    append_line(text, fmt::format("{} {}", command.name, command.usage), command.summary);
  }
  text += kOptions;
  append_settings(text);
  text += kClosing;
  return text;
}

std::string command_help(std::string_view name) {
  for (const CommandHelp& command : kCommands) {
    if (command.name != name) continue;
    return fmt::format(
        "graspd {}: {}\n\nUsage: graspd {} {}\n\n{}\nSettings work here too: see graspd --help.\n",
        name, command.summary, name, command.usage, command.text);
  }
  CHECK(false);
}

}  // namespace graspd::app
