// What only the operator may ask of a running server: a POST signed with the relay's own key
// (NIP-98).
#pragma once
#include <string>
#include <string_view>

#include "app/base/owner_key.h"
#include "app/client/service_client.h"

namespace graspd::app {

// The relay's key, of those who only use it. The failure is a sentence.
core::Result<OwnerKey, std::string> owner_of(const Settings& settings);

// `url`: what --url said; the server of this configuration goes by its public name, whatever
// address it is reached at from here.
core::Result<http::Response, std::string> post_as_owner(const Settings& settings,
                                                        const OwnerKey& owner,
                                                        const std::string& url,
                                                        std::string_view path, std::string body);

// The first line, if this is our own text and no page of somebody else.
std::string said_in(const http::Response& answer);

}  // namespace graspd::app
