// What the commands request from a running server over HTTP.
//
//   R1  Without --url it is the server of this configuration, at the address it listens on.
#pragma once
#include <string>
#include <string_view>

#include "app/config/settings.h"
#include "core/result.h"
#include "http/message.h"
#include "nostr/relay_url.h"

namespace graspd::app {

// Where a running service is: its mount, as ws:// or wss://.
using ServiceAddress = nostr::RelayUrl;

// `text` as people write it: http, https, ws or wss; empty: R1. The failure is a sentence.
core::Result<ServiceAddress, std::string> service_address(const Settings& settings,
                                                          const std::string& text);
// The address of something below the mount, as http:// or https://.
std::string http_url(const ServiceAddress& service, std::string_view below);

// Any answer with a status; the failure is a sentence for whoever typed the command.
core::Result<http::Response, std::string> get(const ServiceAddress& service, std::string_view below,
                                              http::Headers headers);
core::Result<http::Response, std::string> post(const ServiceAddress& service,
                                               std::string_view below, http::Headers headers,
                                               std::string body);

}  // namespace graspd::app
