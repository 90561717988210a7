#include "app/config/config_commands.h"

namespace graspd::app {
namespace {

constexpr std::string_view kGuide = R"(# Configuration

graspd runs without any configuration: it listens on 127.0.0.1:7334 and keeps its data in `./data`.
Everything else is a setting, and every setting can be given in three ways:

| where | how it looks |
|---|---|
| flag | `graspd --max-connections 100` |
| environment | `NGIT_MAX_CONNECTIONS=100 graspd` |
| file | a line `MAX_CONNECTIONS=100` or `NGIT_MAX_CONNECTIONS=100` |

Flags override the environment, the environment overrides the file, and the file overrides the
default. `graspd config` shows each value and its source; `graspd --check-config` only checks them.
`graspd --help` lists the common settings, `graspd --help-all` lists all.

The file is the one named by `--config` or `NGIT_CONFIG_FILE`, otherwise `.env` in the working
directory if it exists. It has one `KEY=VALUE` per line. Lines that begin with `#` are comments.
Values may be in single or double quotes.

- A wrong value stops the start. The error says which value is wrong, where it is, and what to write
  instead.
- Unknown names are ignored; one warning lists them. `NGIT_SYNC_MAX_TAGS_PER_FILTER` and
  `NGIT_SYNC_CONSOLIDATE_AT` of earlier versions have no effect any more.
- An empty value counts as unset.
- true, yes, on and 1 mean the same, and so do false, no, off and 0.
- For every limit, 0 means no limit.
- Sizes are bytes, or a number with a unit: `64k`, `512M` or `512MiB`, `4G`, `2T`. Units are powers
  of 1024, so `1G` is 1073741824. `MB` and `GB` are rejected because they are ambiguous.

## Lists, and files of lists

The lists `NGIT_REPOSITORY_WHITELIST`, `NGIT_REPOSITORY_BLACKLIST`, `NGIT_EVENT_BLACKLIST` and
`NGIT_ARCHIVE_WHITELIST` are comma-separated. A key is an npub or 64 hex digits. An invalid entry
stops the start, and `--check-config` names it: a list with a typing error would admit or exclude
the wrong people.

An entry `@/path/to/file` includes the entries of that file: one per line, `#` for comments.

    NGIT_EVENT_BLACKLIST=@/etc/graspd/blocked,npub1…

SIGHUP (`systemctl reload graspd`) makes a running server read the lists again, from the
configuration file and from the files they name. See operation.md.

## The owner's key

The relay has an identity: a Nostr key whose public half is the `pubkey` of its NIP-11 document. The
server takes the secret half from the first of these that exists:

1. the systemd credential `relay_owner_nsec` (`LoadCredential=relay_owner_nsec:/path`),
2. `NGIT_RELAY_OWNER_NSEC` (no flag: command lines are public),
3. the file named by `NGIT_OWNER_NSEC_FILE`,
4. `.relay-owner.nsec` in the working directory,
5. `.relay-owner.nsec` next to the folder `NGIT_RELAY_DATA_PATH`, or one folder above that.

If none exists, the server creates a key: in `NGIT_OWNER_NSEC_FILE` if set, otherwise in the working
directory, readable by its owner only. A source that exists but is empty or wrong stops the start,
so that no new identity is created by mistake.

## Sockets from the service manager

With systemd socket activation (`LISTEN_FDS`), graspd serves on the socket it inherits instead of
binding `NGIT_BIND_ADDRESS`. No connection is refused during a restart.
)";

}  // namespace

std::string_view configuration_guide() { return kGuide; }

}  // namespace graspd::app
