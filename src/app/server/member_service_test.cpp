#include "app/server/member_service.h"

#include <gtest/gtest.h>

#include "relay/git_access.h"

namespace graspd::app {
namespace member_service_test {

nostr::Keypair keypair(std::uint8_t n) {
  nostr::SecretKey::Bytes bytes{};
  bytes[31] = n;
  return *nostr::Keypair::from(nostr::SecretKey(bytes));
}

const git::FetchUrl kPeerUrl = *git::FetchUrl::parse("https://peer.example/npub1a/x.git");

Settings private_settings() {
  Settings settings;
  settings.domain = "us.example";
  settings.private_service.is_on = true;
  settings.private_members.list.add_author(keypair(2).public_key().hex());
  settings.sync.engine.bootstrap = {*nostr::RelayUrl::parse("wss://boot.example")};
  return settings;
}

OwnerKey owner() { return {.keypair = keypair(1), .origin = {}, .warnings = {}}; }

// What sync reports of one peer.
sync::SyncReport report(bool is_private) {
  sync::SyncReport made;
  made.status.relays.push_back(
      {.url = "wss://peer.example", .is_private = is_private, .pubkey = keypair(7).public_key()});
  return made;
}

grasp::Catalog catalog(grasp::Place place) {
  grasp::Catalog made(grasp::Membership::Compatible);
  grasp::Announcement announced{.coordinate = {{}, *grasp::Identifier::parse("x")}};
  announced.relays = {"wss://peer.example"};
  made.put({announced, place, true});
  return made;
}

TEST(MemberService, DerivesMembersFromServedAnnouncements) {  // R1
  MemberService service(private_settings(), owner(), 7334);
  EXPECT_TRUE(service.members().contains(keypair(2).public_key()));
  const auto is_derived = [&] { return service.members().contains(keypair(7).public_key()); };
  service.follow(report(true), catalog(grasp::Place::Waiting));
  EXPECT_FALSE(is_derived());
  service.follow(report(false), catalog(grasp::Place::Served));
  EXPECT_FALSE(is_derived());
  service.follow(report(true), catalog(grasp::Place::Served));
  EXPECT_TRUE(is_derived());
  service.follow(report(false), catalog(grasp::Place::Served));
  EXPECT_FALSE(is_derived());
}

TEST(MemberService, FetchesFromPrivatePeersAndBootstrapOnly) {  // R2
  MemberService service(private_settings(), owner(), 7334);
  EXPECT_FALSE(service.access(kPeerUrl).is_allowed);
  EXPECT_TRUE(service.access(*git::FetchUrl::parse("https://boot.example/x.git")).is_allowed);
  service.follow(report(true), catalog(grasp::Place::Waiting));
  const auto access = service.access(kPeerUrl);
  EXPECT_TRUE(access.is_allowed);
  EXPECT_TRUE(access.authorization.starts_with("Nostr "));
  EXPECT_FALSE(service.access(*git::FetchUrl::parse("https://peer.example:444/x.git")).is_allowed);
  Settings wide = private_settings();
  wide.private_service.syncs_with_public = true;
  const auto anybody = MemberService(wide, owner(), 7334).access(kPeerUrl);
  EXPECT_TRUE(anybody.is_allowed);
  EXPECT_EQ(anybody.authorization, "");
}

}  // namespace member_service_test
}  // namespace graspd::app
