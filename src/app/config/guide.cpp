#include "app/config/guide.h"

namespace graspd::app {
namespace {

constexpr std::string_view kGuide = R"(# Configuration

graspd runs without any configuration: it listens on 127.0.0.1:7334 and keeps its data under
`./data`. Everything else is a setting, and every setting can be given in three ways:

| where | how it looks |
|---|---|
| flag | `graspd --max-connections 100` |
| environment | `NGIT_MAX_CONNECTIONS=100 graspd` |
| file | a line `MAX_CONNECTIONS=100` or `NGIT_MAX_CONNECTIONS=100` |

Flags win over the environment, the environment over the file, the file over the default.
`graspd config` shows each value and where it came from; `graspd --check-config` only says whether
all is right.

The file is the one named by `--config` or `NGIT_CONFIG_FILE`, else `.env` in the working directory
if there is one. It holds one `KEY=VALUE` a line; lines that begin with `#` are comments; values may
stand in single or double quotes.

- A wrong value stops the start with a sentence that says what, where, and what to write instead.
- Names that graspd does not know are ignored, with one warning that lists them.
- An empty value is the same as none.
- true, yes, on and 1 are the same, and so are false, no, off and 0.
- For every limit 0 means none.
- Sizes are bytes, or a number with a unit: `64k`, `512M` or `512MiB`, `4G`, `2T`. All count in
  1024s, so `1G` is 1073741824. `MB` and `GB` are refused, since they are read in two ways.

## Lists, and files of lists

The lists of whom and what is welcome (`NGIT_REPOSITORY_WHITELIST`, `NGIT_REPOSITORY_BLACKLIST`,
`NGIT_EVENT_BLACKLIST`, `NGIT_ARCHIVE_WHITELIST`) are separated by commas. A key is an npub or 64
hex digits. An entry that is none of what is expected stops the start, and `--check-config` names
it: a list with a typing error would let in, or keep out, whom nobody thought of.

An entry `@/path/to/file` stands for what that file holds: entries one a line, `#` for comments.

    NGIT_EVENT_BLACKLIST=@/etc/graspd/blocked,npub1…

After a change of such a file, or of these settings in the configuration file, SIGHUP
(`systemctl reload graspd`) has them read again while the server runs. See operation.md.

## The owner's key

The relay has an identity: a Nostr key whose public half is the `pubkey` of its NIP-11 document. The
secret half comes from the first of these that is there:

1. the systemd credential `relay_owner_nsec` (`LoadCredential=relay_owner_nsec:/path`),
2. `NGIT_RELAY_OWNER_NSEC` (no flag: command lines are public),
3. the file named by `NGIT_OWNER_NSEC_FILE`,
4. `.relay-owner.nsec` in the working directory,
5. `.relay-owner.nsec` next to the folder `NGIT_RELAY_DATA_PATH`, or one folder above that.

If there is none, one is made: in `NGIT_OWNER_NSEC_FILE` if set, else in the working directory,
readable by its owner only. A source that is there but empty or wrong stops the start; a new
identity is never made by mistake.

## Sockets from the service manager

With systemd socket activation (`LISTEN_FDS`) graspd serves on the socket it is handed instead of
binding `NGIT_BIND_ADDRESS`, so that a restart refuses nobody.
)";

}  // namespace

std::string_view configuration_guide() { return kGuide; }

}  // namespace graspd::app
