#include "app/config/setting_lists.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>

#include "app/config/setting_groups.h"
#include "app/config/setting_row.h"
#include "core/trimmed.h"

namespace graspd::app {
namespace {

using namespace row;
using core::Failure;

// Half a million keys. A list that is longer by mistake (a disk image, /dev/zero) must not fill
// the memory.
constexpr std::size_t kListFileBytesMax = 32 * 1024 * 1024;
constexpr std::size_t kWrongNamedMax = 5;

std::string_view wanted(ListOf what) {
  return what == ListOf::Authors ? "npub" : "npub, npub/identifier or identifier";
}

// Collects entries, and what is wrong with the others.
class ListReader {
 public:
  explicit ListReader(ListOf what) : what_(what) {}

  void take(std::string_view csv, std::string_view place) {
    for (std::size_t start = 0; start <= csv.size();) {
      const auto comma = std::min(csv.find(',', start), csv.size());
      const auto entry = core::trimmed(csv.substr(start, comma - start));
      start = comma + 1;
      if (entry.empty()) continue;
      if (entry.starts_with('@') && place.empty())
        take_file(std::string(core::trimmed(entry.substr(1))));
      else if (!(what_ == ListOf::Authors ? list_.add_author(entry) : list_.add(entry)))
        wrong(fmt::format("{}{}, which is no {}", place, shown(entry), wanted(what_)));
    }
  }

  Parsed<grasp::AccessList> result(MayBeEmpty empty) {
    if (wrong_ > named_.size()) named_.push_back(fmt::format("{} more", wrong_ - named_.size()));
    if (!named_.empty()) {
      return Failure{Complaint{fmt::format("holds {}", fmt::join(named_, "; and ")),
                               "correct or remove it; npub1… or 64 hex digits name a key, "
                               "@/path/to/file a file of entries"}};
    }
    if (list_.empty() && empty == MayBeEmpty::No) {
      return Failure{Complaint{"names nobody, which would let everybody in",
                               "name somebody, or remove the setting"}};
    }
    return std::move(list_);
  }

 private:
  // A secret that was pasted here by mistake must not come to the log.
  static std::string shown(std::string_view entry) {
    return entry.starts_with("nsec1") ? "a secret key" : fmt::format("\"{}\"", entry);
  }

  void wrong(std::string what) {
    if (++wrong_ <= kWrongNamedMax) named_.push_back(std::move(what));
  }

  void take_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::string text;
    std::array<char, 64 * 1024> part;
    while (in.read(part.data(), part.size()), in.gcount() > 0 && text.size() <= kListFileBytesMax)
      text.append(part.data(), static_cast<std::size_t>(in.gcount()));
    if (!in.is_open() || in.bad())
      return wrong(fmt::format("@{}, which cannot be read ({})", path, std::strerror(errno)));
    if (text.size() > kListFileBytesMax)
      return wrong(fmt::format("@{}, which is larger than {} MiB", path, kListFileBytesMax >> 20));
    take_lines(text, path);
  }

  void take_lines(std::string_view text, const std::string& path) {
    for (std::size_t number = 1; !text.empty(); ++number) {
      const auto end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (core::trimmed(line).starts_with('#')) continue;
      line = line.substr(0, std::min(line.find(" #"), line.find("\t#")));
      take(line, fmt::format("@{}, whose line {} has ", path, number));
    }
  }

  const ListOf what_;
  grasp::AccessList list_;
  std::vector<std::string> named_;
  std::size_t wrong_ = 0;
};

template <class Field>
Setting access_list(std::string_view name, ListOf what, MayBeEmpty empty, std::string_view help,
                    Field field, Group group = Group::Repositories) {
  const auto parse = [=](Settings& settings, std::string_view text) {
    return row::take(parse_access_list(text, what, empty), [&](grasp::AccessList list) {
      field(settings) = AccessSetting{std::string(text), std::move(list)};
    });
  };
  const auto print = [=](const Settings& settings) { return field(settings).text; };
  const std::string_view type = what == ListOf::Authors ? "npubs" : "entries";
  return {name, group, type, help, parse, print, "none"};
}

}  // namespace

Parsed<grasp::AccessList> parse_access_list(std::string_view text, ListOf what, MayBeEmpty empty) {
  ListReader reader(what);
  reader.take(text, "");
  return reader.result(empty);
}

void add_access_lists(std::vector<Setting>& rows) {
  rows.push_back(common(access_list(
      "REPOSITORY_WHITELIST", ListOf::Repositories, MayBeEmpty::No,
      "Host only these: npub, npub/identifier or identifier, comma-separated; @path reads a file",
      FIELD(repository_whitelist))));
  rows.push_back(common(access_list("REPOSITORY_BLACKLIST", ListOf::Repositories, MayBeEmpty::Yes,
                                    "Never host these; entries as for REPOSITORY_WHITELIST",
                                    FIELD(repository_blacklist))));
  rows.push_back(
      common(access_list("EVENT_BLACKLIST", ListOf::Authors, MayBeEmpty::Yes,
                         "Reject all events of these authors, comma-separated; @path reads a file",
                         FIELD(event_blacklist))));
}

Setting archive_whitelist() {
  return access_list(
      "ARCHIVE_WHITELIST", ListOf::Repositories, MayBeEmpty::No,
      "Archive these, even if they do not list this server; entries as for REPOSITORY_WHITELIST",
      FIELD(archive_whitelist));
}

Setting private_members() {
  return access_list("PRIVATE_MEMBERS", ListOf::Authors, MayBeEmpty::Yes,
                     "Members of the private service, comma-separated; @path reads a file",
                     FIELD(private_members), Group::Private);
}

bool is_access_list(const Setting& setting) {
  constexpr std::array<std::string_view, 6> kNames{"REPOSITORY_WHITELIST", "REPOSITORY_BLACKLIST",
                                                   "EVENT_BLACKLIST",      "ARCHIVE_WHITELIST",
                                                   "PRIVATE_MEMBERS",      "PRIVATE_MEMBERS_FILE"};
  return std::ranges::find(kNames, setting.name) != kNames.end();
}

}  // namespace graspd::app
