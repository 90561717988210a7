// What can be set of fetching and verifying git data.
#pragma once
#include <chrono>
#include <cstddef>

#include "core/time.h"
#include "git/fetch_scheduler_options.h"
#include "gitio/fetch_options.h"
#include "gitio/remote_refs.h"
#include "gitio/verify.h"
#include "grasp/service.h"
#include "grasp/verification.h"

namespace graspd::serve {

struct FetchDriverOptions {
  git::fetch::Options scheduler;
  gitio::FetchOptions fetch;
  gitio::RemoteRefsOptions read;
  grasp::Service own;  // never a source
  // What expired or was replaced is noticed so soon.
  core::Duration tick = std::chrono::seconds(10);
  std::size_t extensions_max = 12;  // R2 of serve/fetch/fetch_driver.h
};

struct VerifierOptions {
  grasp::VerificationOptions plan;
  gitio::VerifyOptions verify;
  gitio::RemoteRefsOptions read;  // of peers
  grasp::Service own;             // never a peer
  // Of the quick checks: a loss is to be found within a minute, and the pass itself takes some
  // seconds where there are very many repositories.
  core::Duration check_interval = std::chrono::seconds(20);
};

}  // namespace graspd::serve
