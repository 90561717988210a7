#include "git/fetch_command.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

namespace graspd::git {
namespace fetch_command_test {

FetchTarget target(std::string_view url, std::vector<std::string> addresses = {"192.0.2.1"}) {
  FetchTarget made{*FetchUrl::parse(url), {}, {}};
  for (const std::string& address : addresses)
    made.addresses.push_back(*core::IpAddress::parse(address));
  return made;
}

std::map<std::string, std::string> environment(const CommandLine& line) {
  std::map<std::string, std::string> variables;
  for (const auto& variable : line.env) {
    const auto equals = variable.find('=');
    variables.emplace(variable.substr(0, equals), variable.substr(equals + 1));
  }
  return variables;
}

// The configuration as git will read it: the last of a name counts.
std::map<std::string, std::string> config(const CommandLine& line) {
  const auto variables = environment(line);
  std::map<std::string, std::string> read;
  for (int i = 0; i < std::stoi(variables.at("GIT_CONFIG_COUNT")); ++i)
    read[variables.at("GIT_CONFIG_KEY_" + std::to_string(i))] =
        variables.at("GIT_CONFIG_VALUE_" + std::to_string(i));
  return read;
}

std::vector<CommandLine> both(const FetchTarget& of) {
  return {ls_remote(of), fetch_objects("/srv/x.git", of, Known::WhatRefsReach)};
}

TEST(FetchCommands, R1_ShowNothingOfTheRemoteInArguments) {
  for (const auto& line : both(target("https://git.example/a.git"))) {
    for (const std::string& word : line.argv)
      EXPECT_EQ(word.find("git.example"), std::string::npos) << word;
    EXPECT_EQ(config(line).at("remote.peer.url"), "https://git.example/a.git");
  }
}

TEST(FetchCommands, R2_PinTheAddresses) {
  for (const auto& line : both(target("https://git.example/a", {"192.0.2.1", "2001:db8::1"})))
    EXPECT_EQ(config(line).at("http.curloptResolve"), "git.example:443:192.0.2.1,[2001:db8::1]");
  EXPECT_FALSE(
      config(ls_remote(target("http://192.0.2.1:8080/a"))).contains("http.curloptResolve"));
}

TEST(FetchCommands, R7_KeepACredentialOutOfArguments) {
  FetchTarget with = target("https://git.example/a.git");
  for (const auto& line : both(with)) EXPECT_FALSE(config(line).contains("http.extraHeader"));
  with.authorization = "Nostr c2VjcmV0";
  for (const auto& line : both(with)) {
    EXPECT_EQ(config(line).at("http.extraHeader"), "Authorization: Nostr c2VjcmV0");
    for (const std::string& word : line.argv)
      EXPECT_EQ(word.find("c2VjcmV0"), std::string::npos) << word;
  }
}

TEST(FetchCommands, R3_AllowSmartHttpAlone) {
  for (const auto& line : both(target("https://git.example/a"))) {
    const auto settings = config(line);
    EXPECT_EQ(settings.at("protocol.allow"), "never");
    EXPECT_EQ(settings.at("http.followRedirects"), "false");
    EXPECT_EQ(settings.at("http.proxy"), "");
    EXPECT_EQ(settings.at("http.sslVerify"), "true");
    EXPECT_EQ(settings.at("credential.helper"), "");
    const auto variables = environment(line);
    EXPECT_EQ(variables.at("GIT_ALLOW_PROTOCOL"), "http:https");
    EXPECT_EQ(variables.at("GIT_TERMINAL_PROMPT"), "0");
    EXPECT_EQ(variables.at("GIT_ASKPASS"), "");
    EXPECT_EQ(variables.at("HOME"), "/nonexistent");
    for (const char* name : {"http_proxy", "https_proxy", "ALL_PROXY", "GIT_SSL_NO_VERIFY"})
      EXPECT_FALSE(variables.contains(name));
  }
}

TEST(FetchCommands, R3_BelieveAnotherAuthorityBesidesTheKnown) {
  FetchTarget with_ca = target("https://git.example/a");
  EXPECT_FALSE(environment(ls_remote(with_ca)).contains("GIT_SSL_CAINFO"));
  with_ca.extra_ca_file = "/etc/graspd/ca.pem";
  EXPECT_EQ(environment(ls_remote(with_ca)).at("GIT_SSL_CAINFO"), "/etc/graspd/ca.pem");
  EXPECT_EQ(environment(ls_remote(with_ca)).at("GIT_SSL_CAPATH"), "/etc/ssl/certs");
}

TEST(FetchCommands, R4_WriteObjectsAlone) {
  const auto line = fetch_objects("/srv/x.git", target("https://git.example/a"), Known::Nothing);
  for (const char* option : {"--no-tags", "--no-write-fetch-head", "--no-recurse-submodules",
                             "--no-auto-maintenance", "--refmap=", "--stdin", "--refetch"})
    EXPECT_EQ(std::ranges::count(line.argv, option), 1) << option;
  EXPECT_EQ(line.directory, "/srv/x.git");
  const auto settings = config(line);
  EXPECT_EQ(settings.at("fetch.fsckObjects"), "true");
  EXPECT_EQ(settings.at("fetch.fsck.badTimezone"), "ignore");
  EXPECT_EQ(settings.at("fetch.unpackLimit"), "1");
}

TEST(FetchCommands, R5_LimitMemory) {
  FetchTarget small = target("https://git.example/a");
  small.memory_max = 64 << 20;
  for (const auto& line : both(small)) {
    EXPECT_EQ(line.argv.front(), "/bin/sh");
    EXPECT_EQ(line.argv[3], "65536");
    EXPECT_EQ(line.argv[4], "git");
  }
}

}  // namespace fetch_command_test
}  // namespace graspd::git
