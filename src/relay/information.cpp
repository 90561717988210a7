#include "relay/information.h"

#include <array>

#include "nostr/json_writer.h"

namespace graspd::relay {
namespace {

using nostr::JsonWriter;

constexpr std::string_view kSoftware = "https://gitworkshop.dev/graspd";
constexpr int kMappingNip = 5;  // /.well-known/nostr.json, which is found at the root only
constexpr int kDeletionNip = 9, kVanishNip = 62;
constexpr std::array kNips{1,  kMappingNip, kDeletionNip, 11, 34, 40,
                           42, 45,          kVanishNip,   67, 70, 77};

constexpr int kHttpAuthNip = 98;  // how git is authenticated on a private service

bool is_offered(int nip, const Identity& identity) {
  if (nip == kMappingNip) return identity.at_root;
  return identity.obeys_requests || (nip != kDeletionNip && nip != kVanishNip);
}

void put_nips(JsonWriter& json, const Identity& identity) {
  json.key("supported_nips").open('[');
  for (const int nip : kNips)
    if (is_offered(nip, identity)) json.put(nip);
  if (identity.is_private) json.put(kHttpAuthNip);
  json.close(']');
}

void put_limitation(JsonWriter& json, const Limits& limits, const Identity& identity) {
  const auto put_limit = [&](std::string_view name, std::uint64_t value) {
    if (value > 0) json.field(name, value);  // 0: no limit, so it is left out
  };
  json.key("limitation").open('{');
  put_limit("max_message_length", limits.message_bytes);
  put_limit("max_subscriptions", limits.subscriptions);
  put_limit("max_filters", limits.filters_per_request);
  put_limit("max_limit", limits.filter_limit);
  put_limit("default_limit", limits.filter_limit);
  put_limit("max_subid_length", limits.subscription_id_bytes);
  put_limit("max_event_size", limits.event_bytes);
  put_limit("created_at_upper_limit", limits.created_at_ahead_seconds);
  json.field("auth_required", identity.is_private);
  json.field("payment_required", false);
  json.field("restricted_writes", identity.restricted_writes);
  json.close('}');
}

}  // namespace

std::string information_document(const Identity& identity, const Limits& limits) {
  std::string text;
  JsonWriter json(text);
  const auto put_if_set = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) json.field(name, value);
  };
  json.open('{');
  json.field("name", identity.name);
  json.field("description", identity.description);
  put_if_set("contact", identity.contact);
  json.field("pubkey", identity.pubkey.hex());
  json.field("self", identity.pubkey.hex());
  put_nips(json, identity);
  json.field("software", kSoftware);
  json.field("version", identity.version);
  put_if_set("icon", identity.icon);
  if (!identity.grasps.empty()) {
    json.key("supported_grasps").list(identity.grasps);
    json.field("repo_acceptance_criteria", identity.acceptance_criteria);
    put_if_set("curation", identity.curation);
  }
  put_limitation(json, limits, identity);
  json.close('}');
  return text;
}

}  // namespace graspd::relay
