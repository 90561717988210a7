#include "gitio/fetch_address.h"

#include <gtest/gtest.h>

namespace graspd::gitio {
namespace fetch_address_test {

using core::IpAddress;
using git::FetchFailure;

git::FetchUrl url(std::string_view host) {
  return *git::FetchUrl::parse("https://" + std::string(host) + "/a.git");
}

RemoteOptions answering(const std::vector<std::string>& addresses) {
  RemoteOptions options;
  options.lookup = [addresses](const std::string&) {
    std::vector<IpAddress> parsed;
    for (const std::string& address : addresses) parsed.push_back(*IpAddress::parse(address));
    return parsed;
  };
  return options;
}

FetchFailure failure(std::string_view host, const RemoteOptions& options) {
  const auto result = permitted_addresses(url(host), options);
  CHECK(!result);
  return result.error().failure;
}

TEST(FetchAddresses, R2_AreGlobal) {
  const auto mixed = answering({"10.0.0.1", "93.184.216.34", "::1", "2606:2800:220::1"});
  const auto result = permitted_addresses(url("git.example"), mixed);
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, (std::vector{*IpAddress::parse("93.184.216.34"),
                                  *IpAddress::parse("2606:2800:220::1")}));
  for (const char* inside :
       {"127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.0.1", "100.64.0.1", "169.254.169.254",
        "::1", "fd00::1", "fe80::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:7f00:1::"})
    EXPECT_EQ(failure("git.example", answering({inside})), FetchFailure::Forbidden) << inside;
}

TEST(FetchAddresses, R2_AreJudgedWhenWrittenOut) {
  for (const char* host : {"127.0.0.1", "[::1]", "[::ffff:192.168.1.1]", "169.254.169.254"})
    EXPECT_EQ(failure(host, answering({"93.184.216.34"})), FetchFailure::Forbidden) << host;
  EXPECT_TRUE(permitted_addresses(url("93.184.216.34"), {}));
}

TEST(FetchAddresses, R2_MayBePrivateWhenAllowed) {
  RemoteOptions options = answering({"10.0.0.1"});
  options.allow_private_addresses = true;
  EXPECT_TRUE(permitted_addresses(url("git.example"), options));
  EXPECT_TRUE(permitted_addresses(url("127.0.0.1"), options));
}

TEST(FetchAddresses, R4_AreNotLookedUpForARemoteThatMayNotBeAsked) {
  bool is_looked_up = false;
  RemoteOptions options;
  options.lookup = [&](const std::string&) {
    is_looked_up = true;
    return std::vector<IpAddress>();
  };
  options.access = [](const git::FetchUrl&) { return RemoteAccess{false, ""}; };
  EXPECT_EQ(failure("git.example", options), FetchFailure::Unreachable);
  EXPECT_FALSE(is_looked_up);
}

TEST(FetchAddresses, R3_AreOnlyOutOfReachWhileNobodyCanBeAsked) {
  EXPECT_EQ(failure("git.example", {}), FetchFailure::Unreachable);
  RemoteOptions options;
  options.lookup = [](const std::string&) -> core::Result<std::vector<IpAddress>, std::string> {
    return core::Failure{std::string("Temporary failure in name resolution")};
  };
  EXPECT_EQ(failure("git.example", options), FetchFailure::Unreachable);
}

TEST(FetchAddresses, AreNotThereForEveryName) {
  EXPECT_EQ(failure("git.example", answering({})), FetchFailure::Name);
}

}  // namespace fetch_address_test
}  // namespace graspd::gitio
