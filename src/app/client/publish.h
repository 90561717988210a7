// graspd publish: sends any event, signing it first if asked to.
#pragma once
#include <string>

#include "app/client/client_options.h"
#include "core/result.h"
#include "core/time.h"
#include "nostr/event.h"
#include "nostr/signature.h"

namespace graspd::app {

struct PublishOptions {
  ClientOptions client;
  bool sign = false;
};

int publish_any(const PublishOptions& options);

// A complete event whose id and signature are right.
core::Result<nostr::Event, std::string> checked_event(const std::string& json);
// One that is signed by this key, from whatever is written of it.
core::Result<nostr::Event, std::string> event_signed_by(const nostr::Keypair& keypair,
                                                        const std::string& json,
                                                        core::UnixSeconds now);

}  // namespace graspd::app
