#include "git/advertisement.h"

#include "git/oid.h"
#include "git/pkt_line.h"

namespace graspd::git {
namespace {

// The agent comes last, as with git: libgit2 reads an object format up to the next blank, and takes
// one at the end of the line for an unknown one.
constexpr std::string_view kCapabilities =
    "multi_ack thin-pack side-band side-band-64k ofs-delta shallow deepen-since deepen-not "
    "deepen-relative no-progress include-tag multi_ack_detailed allow-tip-sha1-in-want "
    "allow-reachable-sha1-in-want no-done filter object-format=sha1 agent=graspd";

constexpr std::string_view kVersion1 = "000eversion 1\n";

}  // namespace

std::string complete_advertisement(std::string_view output) {
  std::string_view rest = output;
  if (rest.starts_with(kVersion1)) rest.remove_prefix(kVersion1.size());
  if (rest != kFlushPkt) return std::string(output);
  std::string line = Oid().hex() + " capabilities^{}";
  line += '\0';
  line += kCapabilities;
  line += '\n';
  std::string complete(output.substr(0, output.size() - rest.size()));
  append_pkt(complete, line);
  complete += kFlushPkt;
  return complete;
}

}  // namespace graspd::git
