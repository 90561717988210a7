#include "gitio/remote_refs.h"

#include <string>
#include <string_view>

#include "git/fetch_command.h"
#include "gitio/fetch_address.h"
#include "gitio/fetch_process.h"

namespace graspd::gitio {

namespace {

// A name of ours has at most 1024 bytes; whoever sends longer lines has other things in mind.
constexpr std::size_t kLineMax = 2048;

// Lines of `git ls-remote --symref` that come in pieces.
class RefLines {
 public:
  explicit RefLines(std::size_t refs_max) : refs_max_(refs_max) {}

  void add(std::string_view piece) {
    for (const char c : piece) {
      if (c == '\n') {
        read_line(line_);
        line_.clear();
      } else if (line_.size() <= kLineMax) {
        line_ += c;
      }
    }
  }

  RemoteRefs found;
  bool too_many = false;

 private:
  void read_line(std::string_view line) {
    const auto tab = line.find('\t');
    if (tab == std::string_view::npos || line.size() > kLineMax) return;
    const auto value = line.substr(0, tab), name = line.substr(tab + 1);
    if (value.starts_with("ref: ") && name == "HEAD")
      found.head = git::RefName::parse(value.substr(5));
    const auto oid = git::Oid::parse(value);
    auto ref = git::RefName::parse(name);  // not HEAD, and not `refs/tags/x^{}`
    if (!oid || !ref || ref->space() == git::RefName::Space::Other) return;
    too_many |= found.refs.size() >= refs_max_;
    if (!too_many) found.refs.insert_or_assign(*std::move(ref), *oid);
  }

  const std::size_t refs_max_;
  std::string line_;
};

}  // namespace

core::Result<RemoteRefs, git::FetchError> read_remote_refs(const git::FetchUrl& url,
                                                           const RemoteRefsOptions& options,
                                                           const std::stop_token& stop) {
  auto addresses = permitted_addresses(url, options);
  if (!addresses) return core::Failure{std::move(addresses).error()};
  RefLines lines(options.refs_max);
  const Watch watch{.silence_max = options.deadline,
                    .deadline = options.deadline,
                    .output_max = options.output_max,
                    .on_output = [&](std::string_view piece) { lines.add(piece); }};
  git::FetchTarget target{url, *std::move(addresses), options.extra_ca_file, options.memory_max};
  if (options.access) target.authorization = options.access(url).authorization;
  const Conversation conversation = converse(git::ls_remote(target), {}, watch, options, stop);
  if (!conversation.good()) {
    auto error = conversation.error(url.is_tls(), false);
    if (error.failure == git::FetchFailure::Stalled) error.failure = git::FetchFailure::TimedOut;
    return core::Failure{std::move(error)};
  }
  if (lines.too_many)
    return core::Failure{
        git::FetchError{git::FetchFailure::TooLarge, "too many refs", 0, std::nullopt}};
  return std::move(lines.found);
}

}  // namespace graspd::gitio
