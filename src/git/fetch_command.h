// git as a client of a remote that a stranger named: command lines as values.
//
//   R1  Nothing of the remote stands in an argument: its URL is configuration, oids go through
//       standard input.
//   R2  git connects to the addresses it is given, whatever the name stands for by then.
//   R3  Smart HTTP or nothing: no other transport, no redirect, no proxy, no credentials and nobody
//       to ask for them, no cookies, certificates checked.
//   R4  Nothing is written but objects: no ref, no FETCH_HEAD, no tag that was not asked for, no
//       submodule. Every object is checked.
//   R5  Memory is limited for the process and its children.
//   R6  What happens on the wire is told on standard error, for fetch_talk.h.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/ip_address.h"
#include "git/command_line.h"
#include "git/fetch_url.h"

namespace graspd::git {

struct FetchTarget {
  FetchUrl url;
  std::vector<core::IpAddress> addresses;  // what the host stands for, judged
  std::string extra_ca_file;               // besides the system's; empty: none
  std::uint64_t memory_max = 2ULL << 30;
};

// Writes `<oid> TAB <ref>` lines, and `ref: <ref> TAB HEAD`.
CommandLine ls_remote(const FetchTarget& target);

// What the remote is told that we have: it sends the rest.
enum class Known { WhatRefsReach, Nothing };
// Reads oids, one per line. repo_path: absolute, of a bare repository.
CommandLine fetch_objects(const std::string& repo_path, const FetchTarget& target, Known known);

}  // namespace graspd::git
