#include "git/git_config.h"

#include <array>

namespace graspd::git {
namespace {

constexpr ConfigPair kTable[] = {
    // The owner of a repository is whoever runs us; hooks would be somebody else's program.
    {"safe.directory", "*"},
    {"core.hooksPath", "/dev/null"},
    {"init.defaultBranch", "master"},
    // Maintenance is ours, under the repository's lock: git's own collides with pushes.
    {"gc.auto", "0"},
    {"maintenance.auto", "false"},
    {"receive.autogc", "false"},
    // Clients that read single files ask for blobs by name, without their trees.
    {"uploadpack.allowTipSHA1InWant", "true"},
    {"uploadpack.allowReachableSHA1InWant", "true"},
    {"uploadpack.allowAnySHA1InWant", "true"},
    {"uploadpack.allowFilter", "true"},
    // Filters that look at each object once. A sparse specification, or several filters together,
    // walk each path: ten trees within one another can hold ten billion of those.
    {"uploadpackfilter.allow", "false"},
    {"uploadpackfilter.blob:none.allow", "true"},
    {"uploadpackfilter.blob:limit.allow", "true"},
    {"uploadpackfilter.object:type.allow", "true"},
    // On for requests that ask for a small depth: tree_filter.h.
    {"uploadpackfilter.tree.allow", "false"},
    {"uploadpackfilter.tree.maxTreeDepth", "2"},
    {"lsrefs.unborn", "advertise"},
    // Proxies cut connections that are silent for long.
    {"uploadpack.keepAlive", "5"},
    {"receive.keepAlive", "5"},
    // What comes in is checked, and always lands as one pack: thousands of loose objects are slow.
    {"transfer.fsckObjects", "true"},
    {"receive.fsckObjects", "true"},
    {"transfer.unpackLimit", "1"},
    {"receive.unpackLimit", "1"},
    // The signed state decides what may move, git only carries it out.
    {"receive.advertiseAtomic", "true"},
    {"receive.advertisePushOptions", "false"},
    {"receive.denyCurrentBranch", "ignore"},
    {"receive.denyDeleteCurrent", "ignore"},
    {"receive.denyDeletes", "false"},
    {"receive.denyNonFastForwards", "false"},
    // Refs of our own bookkeeping; the id of a session is nobody's business.
    {"transfer.hideRefs", "refs/graspd"},
    {"transfer.advertiseSID", "false"},
    // Memory of one process: a few of these in sum, many processes at once.
    {"pack.threads", "1"},
    {"pack.windowMemory", "64m"},
    {"pack.deltaCacheSize", "32m"},
    {"core.bigFileThreshold", "64m"},
    {"core.packedGitWindowSize", "32m"},
    {"core.packedGitLimit", "256m"},
    {"core.deltaBaseCacheLimit", "32m"},
};

constexpr std::string_view kToleratedFaults[] = {
    "badTimezone",
    "missingSpaceBeforeDate",
    "zeroPaddedFilemode",
    "badDate",
    "badEmail",
    "missingEmail",
    "badName",
    "missingNameBeforeEmail",
    "missingSpaceBeforeEmail",
    "zeroPaddedDate",
    "multipleAuthors",
};

}  // namespace

std::span<const ConfigPair> config_table() { return kTable; }

std::span<const std::string_view> tolerated_faults() { return kToleratedFaults; }

}  // namespace graspd::git
