#include "git/push_request.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "core/counted.h"

namespace graspd::git {
namespace {

constexpr std::string_view kShallow = "shallow ";
constexpr std::string_view kPushCert = "push-cert";
constexpr std::size_t kOidDigits = 2 * Oid::kSize;
constexpr std::size_t kRefOffset = 2 * (kOidDigits + 1);

// As much of a stranger's line as a terminal can bear.
std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShownMax = 120;
  std::string shown = "'";
  for (const char c : text.substr(0, kShownMax)) {
    shown += c >= 0x20 && c < 0x7f ? c : '?';
  }
  return shown + (text.size() > kShownMax ? "...'" : "'");
}

std::string_view without_line_feed(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

struct OidPair {
  Oid old_oid;
  Oid new_oid;
};

std::optional<OidPair> parse_oids(std::string_view line) {
  if (line.size() <= kRefOffset) return std::nullopt;
  if (line[kOidDigits] != ' ' || line[kRefOffset - 1] != ' ') return std::nullopt;
  const auto old_oid = Oid::parse(line.substr(0, kOidDigits));
  const auto new_oid = Oid::parse(line.substr(kOidDigits + 1, kOidDigits));
  if (!old_oid || !new_oid) return std::nullopt;
  return OidPair{*old_oid, *new_oid};
}

void set_capability(Capabilities& capabilities, std::string_view name) {
  if (name == "report-status") capabilities.report_status = true;
  if (name == "report-status-v2") capabilities.report_status_v2 = true;
  if (name == "side-band-64k") capabilities.side_band_64k = true;
  if (name == "atomic") capabilities.atomic = true;
  if (name == "push-options") capabilities.push_options = true;
  if (name == "quiet") capabilities.quiet = true;
  if (name == "ofs-delta") capabilities.ofs_delta = true;
  if (name == "delete-refs") capabilities.delete_refs = true;
}

bool is_foreign_format(std::string_view capability) {
  return capability.starts_with("object-format=") && capability != "object-format=sha1";
}

}  // namespace

PushParser::State PushParser::feed(std::string_view bytes) {
  if (state_ == State::Refused || bytes.empty()) return state_;
  reader_.feed(bytes);
  if (state_ == State::NeedMore) read_packets();
  if (state_ == State::Probe && !reader_.empty()) refuse("no ref updates found in push");
  return state_;
}

void PushParser::read_packets() {
  while (state_ == State::NeedMore) {
    const auto next = reader_.next();
    if (std::holds_alternative<PktReader::NeedMore>(next)) return;
    if (const auto* pkt = std::get_if<Pkt>(&next)) {
      read(*pkt);
    } else {
      refuse("the push is not in git's format: a packet has no valid length");
    }
  }
}

void PushParser::read(const Pkt& pkt) {
  bytes_ += kPktHeaderBytes + pkt.payload.size();
  if (bytes_ > limits_.bytes_max) {
    refuse(fmt::format("the list of refs to update is larger than {} bytes: push fewer at a time",
                       limits_.bytes_max));
    return;
  }
  switch (pkt.kind) {
    case Pkt::Kind::Data:
      if (section_ == Section::Commands) return read_line(pkt.payload);
      return read_option(pkt.payload);
    case Pkt::Kind::Flush:
      return read_flush();
    case Pkt::Kind::Delim:
    case Pkt::Kind::ResponseEnd:
      return refuse("the push is not in git's format: a packet of another protocol version");
  }
}

void PushParser::read_flush() {
  if (section_ == Section::Options) {
    state_ = State::Done;
  } else if (begun_) {
    end_commands();
  } else if (request_.shallow.empty()) {
    state_ = State::Probe;
  } else {
    refuse("no ref updates found in push");
  }
}

void PushParser::read_line(std::string_view line) {
  line = without_line_feed(line);
  if (!begun_ && line.starts_with(kShallow)) return read_shallow(line.substr(kShallow.size()));
  const bool is_first = !std::exchange(begun_, true);
  if (const auto nul = line.find('\0'); is_first && nul != std::string_view::npos) {
    read_capabilities(line.substr(nul + 1));
    line = line.substr(0, nul);
  }
  if (state_ == State::NeedMore) read_command(line);
}

void PushParser::read_capabilities(std::string_view list) {
  while (!list.empty()) {
    const auto name = list.substr(0, list.find(' '));
    if (is_foreign_format(name)) refuse("only SHA-1 repositories are hosted here");
    set_capability(request_.capabilities, name);
    list.remove_prefix(std::min(name.size() + 1, list.size()));
  }
}

void PushParser::read_command(std::string_view line) {
  if (line == kPushCert) {
    return refuse("push certificates are not supported: push again with --no-signed");
  }
  const auto oids = parse_oids(line);
  if (!oids) return refuse("not a line of git's push format: " + in_quotes(line));
  if (request_.commands.size() == limits_.commands_max) {
    return refuse(
        fmt::format("a push can update at most {}", core::counted(limits_.commands_max, "ref")));
  }
  const auto text = line.substr(kRefOffset);
  auto ref = RefName::parse(text);
  if (!ref) {
    const auto why = RefName::why_too_long(text);
    return object_to(why ? fmt::format("the ref name {} {}", in_quotes(text), *why)
                         : "not a valid ref name: " + in_quotes(text));
  }
  check(request_.commands.emplace_back(Command{oids->old_oid, oids->new_oid, std::move(*ref)}));
}

void PushParser::check(const Command& command) {
  if (command.ref.space() == RefName::Space::Other) {
    object_to(fmt::format("{} cannot be pushed: only refs/heads/, refs/tags/ and refs/nostr/ can",
                          command.ref.text()));
  }
}

void PushParser::read_shallow(std::string_view oid) {
  const auto parsed = Oid::parse(oid);
  if (!parsed)
    return refuse("not a line of git's push format: " + in_quotes("shallow " + std::string(oid)));
  request_.shallow.push_back(*parsed);
}

void PushParser::read_option(std::string_view option) {
  if (request_.options.size() == limits_.options_max) {
    return refuse(fmt::format("a push can have at most {} push options", limits_.options_max));
  }
  request_.options.emplace_back(without_line_feed(option));
}

void PushParser::end_commands() {
  check_unique();
  if (!reason_.empty()) {
    state_ = State::Refused;
  } else if (request_.capabilities.push_options) {
    section_ = Section::Options;
  } else {
    state_ = State::Done;
  }
}

void PushParser::check_unique() {
  std::vector<std::string_view> names;
  names.reserve(request_.commands.size());
  for (const auto& command : request_.commands) names.push_back(command.ref.text());
  std::sort(names.begin(), names.end());
  const auto twin = std::adjacent_find(names.begin(), names.end());
  if (twin != names.end()) object_to(fmt::format("{} is updated twice in one push", *twin));
}

void PushParser::object_to(std::string reason) {
  if (reason_.empty()) reason_ = std::move(reason);
}

void PushParser::refuse(std::string reason) {
  object_to(std::move(reason));
  state_ = State::Refused;
}

}  // namespace graspd::git
