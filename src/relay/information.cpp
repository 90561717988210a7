#include "relay/information.h"

#include <fmt/format.h>

#include "nostr/serialize.h"

namespace graspd::relay {
namespace {

constexpr std::string_view kSoftware = "https://gitworkshop.dev/graspd";

std::string json_string(std::string_view text) {
  std::string out;
  nostr::append_json_string(out, text);
  return out;
}

std::string json_list(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ",") + json_string(text);
  return "[" + out + "]";
}

// Collects `"name": value` members; numbers that mean "no limit" are left out.
class Members {
 public:
  void add(std::string_view name, std::string_view value) {
    if (!text_.empty()) text_ += ",";
    text_ += fmt::format("\"{}\":{}", name, value);
  }
  void add_limit(std::string_view name, std::uint64_t value) {
    if (value > 0) add(name, std::to_string(value));
  }
  std::string object() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

std::string limitation(const Limits& limits, bool restricted_writes) {
  Members members;
  members.add_limit("max_message_length", limits.message_bytes);
  members.add_limit("max_subscriptions", limits.subscriptions);
  members.add_limit("max_filters", limits.filters_per_request);
  members.add_limit("max_limit", limits.filter_limit);
  members.add_limit("default_limit", limits.filter_limit);
  members.add_limit("max_subid_length", limits.subscription_id_bytes);
  members.add_limit("max_event_size", limits.event_bytes);
  members.add_limit("created_at_upper_limit", limits.created_at_ahead_seconds);
  members.add("auth_required", "false");
  members.add("payment_required", "false");
  members.add("restricted_writes", restricted_writes ? "true" : "false");
  return members.object();
}

std::string supported_nips(bool at_root) {
  return at_root ? "[1,5,9,11,34,40,42,45,62,67,70,77]" : "[1,9,11,34,40,42,45,62,67,70,77]";
}

}  // namespace

std::string information_document(const Identity& identity, const Limits& limits) {
  Members members;
  members.add("name", json_string(identity.name));
  members.add("description", json_string(identity.description));
  if (!identity.contact.empty()) members.add("contact", json_string(identity.contact));
  members.add("pubkey", json_string(identity.pubkey.hex()));
  members.add("self", json_string(identity.pubkey.hex()));
  members.add("supported_nips", supported_nips(identity.at_root));
  members.add("software", json_string(kSoftware));
  members.add("version", json_string(identity.version));
  if (!identity.icon.empty()) members.add("icon", json_string(identity.icon));
  if (!identity.grasps.empty()) {
    members.add("supported_grasps", json_list(identity.grasps));
    members.add("repo_acceptance_criteria", json_string(identity.acceptance_criteria));
    if (!identity.curation.empty()) members.add("curation", json_string(identity.curation));
  }
  members.add("limitation", limitation(limits, identity.restricted_writes));
  return members.object();
}

}  // namespace graspd::relay
