// git as a client of a remote that a stranger named: command lines as values.
//
//   R1  Nothing about the remote is in an argument: its URL is configuration, and oids go through
//       standard input.
//   R2  git connects to the addresses it is given, whatever the name resolves to by then.
//   R3  Only smart HTTP: no other transport, no redirect, no proxy, no credentials and no prompt
//       for them, no cookies; certificates are checked.
//   R4  Only objects are written: no ref, no FETCH_HEAD, no tag that was not requested, no
//       submodule. Every object is checked.
//   R5  The memory of the process and its children is limited.
//   R6  git traces the wire on standard error, for fetch_talk.h.
//   R7  A credential is sent as a header, only to the remote itself, and stands in the environment,
//       never in an argument.
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
  std::string authorization = {};  // R7; empty: none
};

// Writes `<oid> TAB <ref>` lines, and `ref: <ref> TAB HEAD`.
CommandLine ls_remote(const FetchTarget& target);

// What the remote is told that we have: it sends the rest.
enum class Known { WhatRefsReach, Nothing };
// Reads oids, one per line. repo_path: absolute, of a bare repository.
CommandLine fetch_objects(const std::string& repo_path, const FetchTarget& target, Known known);

}  // namespace graspd::git
