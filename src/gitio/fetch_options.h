// What everything that talks to a remote shares: allowed addresses, and time limits.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/ip_address.h"
#include "core/result.h"
#include "core/time.h"
#include "git/fetch_url.h"

namespace graspd::gitio {

// What a name stands for, be it nothing; or why nobody could be asked. Blocks.
using NameLookup =
    std::function<core::Result<std::vector<core::IpAddress>, std::string>(const std::string& host)>;

// Of a remote, by its URL (GRASP-08).
struct RemoteAccess {
  bool is_allowed = true;
  std::string authorization;  // the value of the header, for one git command; empty: none
};

struct RemoteOptions {
  // Asked for each git command, from any thread; empty: all remotes, as anybody.
  std::function<RemoteAccess(const git::FetchUrl& url)> access;
  bool allow_private_addresses = false;
  NameLookup lookup;          // without one, only hosts written as addresses are found
  std::string extra_ca_file;  // PEM, believed besides the system's authorities

  // Until the first request is sent: TCP and TLS.
  core::Duration connect_timeout = std::chrono::seconds(30);
  // Between SIGTERM, on which git removes its temporary files, and SIGKILL.
  core::Duration grace = std::chrono::seconds(10);
  // How often limits are looked at.
  core::Duration tick{200};
  // Of one process. git keeps the first answer of a remote in memory, however long it is.
  std::uint64_t memory_max = 2ULL << 30;
};

struct RemoteRefsOptions : RemoteOptions {
  core::Duration deadline = std::chrono::minutes(1);
  // The largest forges advertise half a million refs of pull requests, about 70 bytes each.
  std::uint64_t output_max = 64ULL << 20;
  // Of those we look at; a state has at most as many.
  std::size_t refs_max = 200'000;
};

struct FetchOptions : RemoteOptions {
  std::uint64_t pack_bytes_max = 4ULL << 30;
  // Neither a byte of pack nor a word about progress.
  core::Duration silence_max = std::chrono::minutes(5);
  // A remote that sends a byte now and then must end as well; a big repository on a slow line
  // takes an hour.
  core::Duration deadline = std::chrono::hours(6);
  // git processes that look for the wants a remote lacks. The last asks only for what it
  // advertises.
  std::size_t tries_max = 6;
};

}  // namespace graspd::gitio
