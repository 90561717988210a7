#include "serve/site/site.h"

#include <gtest/gtest.h>

namespace graspd::serve {
namespace site_test {

SiteOptions options(std::string_view mount = "/") {
  SiteOptions options;
  options.mount = *http::BasePath::parse(mount);
  options.identity = {.name = "A relay", .description = "for \"tests\""};
  options.start_page = [] { return http::text_response(200, "welcome"); };
  options.icon = "PNG";
  options.metrics = [] { return std::string("numbers"); };
  return options;
}

http::Request get(std::string target, std::string accept = "") {
  http::Request request;
  request.target = std::move(target);
  if (!accept.empty()) request.headers.add("Accept", std::move(accept));
  return request;
}

TEST(Site, ShowsItsCardToWhoAsksForNostrJson) {
  auto response = Site(options()).respond(get("/", "application/nostr+json"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.get("Content-Type"), "application/nostr+json");
  EXPECT_EQ(response.body.front(), '{');
}

TEST(Site, ShowsAPageToPeople) {
  auto response = Site(options()).respond(get("/", "text/html"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "welcome");
}

TEST(Site, HasAnIconThatIsKeptForADay) {
  auto response = Site(options("/m")).respond(get("/m/icon.png"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "PNG");
  EXPECT_EQ(response.headers.get("Content-Type"), "image/png");
  EXPECT_EQ(response.headers.get("Cache-Control"), "max-age=86400");
  EXPECT_EQ(Site(options("/m")).respond(get("/icon.png")).status, 404);
  EXPECT_EQ(Site(SiteOptions()).respond(get("/icon.png")).status, 404);
}

TEST(Site, HasTheIconWhereBrowsersLookForIt) {
  auto response = Site(options("/m")).respond(get("/m/favicon.ico"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "PNG");
  EXPECT_EQ(response.headers.get("Content-Type"), "image/png");
  EXPECT_EQ(response.headers.get("Cache-Control"), "max-age=86400");
}

TEST(Site, ShowsItsStateOnlyToWhoHasTheToken) {
  SiteOptions with = options();
  with.more_pages["/sync"] = [](const auto&) { return http::text_response(200, "peers"); };
  with.is_private = true;
  for (const char* path : {"/metrics", "/sync"})
    EXPECT_EQ(Site(with).respond(get(path)).status, 404) << path;
  with.status_token = "a token of 16 bytes";
  for (const char* path : {"/metrics", "/sync"}) {
    const Site site(with);
    const auto refused = site.respond(get(path));
    EXPECT_EQ(refused.status, 401);
    EXPECT_EQ(refused.headers.get("WWW-Authenticate"), "Bearer");
    http::Request request = get(path);
    request.headers.add("Authorization", "Bearer a token of 16 bytes");
    EXPECT_EQ(site.respond(request).status, 200);
    request = get(path);
    request.headers.add("Authorization", "Bearer another");
    EXPECT_EQ(site.respond(request).status, 401);
  }
  with.is_private = false;
  EXPECT_EQ(Site(with).respond(get("/metrics")).status, 401);
  EXPECT_EQ(Site(options()).respond(get("/metrics")).status, 200);
}

TEST(Site, TellsRobotsWhatIsNotForThem) {
  auto response = Site(options("/m")).respond(get("/m/robots.txt"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.get("Content-Type"), "text/plain; charset=utf-8");
  EXPECT_EQ(response.headers.get("Cache-Control"), "max-age=86400");
  EXPECT_TRUE(response.body.starts_with("User-agent: *\nDisallow: /m/*.git/info/\n"));
  EXPECT_NE(response.body.find("\nDisallow: /m/metrics\n"), std::string::npos);
}

TEST(Site, EscapesThePathItDidNotFind) {
  auto response = Site(options()).respond(get("/<script>alert(1)</script>"));
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.body.find("<script>"), std::string::npos);
}

TEST(Site, AnswersOptionsAnywhere) {
  http::Request request = get("/anything/at/all");
  request.method = http::Method::Options;
  EXPECT_EQ(Site(options("/mount")).respond(request).status, 204);
}

TEST(Site, LivesBelowItsMountAndNowhereElse) {
  Site site(options("/grasp"));
  EXPECT_EQ(site.respond(get("/grasp", "application/nostr+json")).status, 200);
  EXPECT_EQ(site.respond(get("/grasp/healthz")).status, 200);
  EXPECT_EQ(site.respond(get("/healthz")).status, 404);
  EXPECT_TRUE(site.is_relay_path(get("/grasp/")));
  EXPECT_FALSE(site.is_relay_path(get("/")));
  EXPECT_FALSE(site.is_relay_path(get("/graspx")));
}

TEST(Site, NamesItsKeyForNip05AtTheRootOnly) {
  auto response = Site(options()).respond(get("/.well-known/nostr.json?name=_"));
  EXPECT_EQ(response.body, R"({"names":{"_":")" + std::string(64, '0') + R"("}})");
  EXPECT_EQ(Site(options("/m")).respond(get("/m/.well-known/nostr.json")).status, 404);
}

TEST(Site, SaysWhyItIsNotReady) {
  auto troubled = options();
  troubled.trouble = [] { return std::optional<std::string>("disk full"); };
  auto response = Site(troubled).respond(get("/readyz"));
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.body, "disk full\n");
  EXPECT_EQ(Site(options()).respond(get("/readyz")).status, 200);
}

TEST(Site, HidesMetricsWhenTheyAreSwitchedOff) {
  EXPECT_EQ(Site(options()).respond(get("/metrics")).body, "numbers");
  auto silent = options();
  silent.metrics = nullptr;
  EXPECT_EQ(Site(silent).respond(get("/metrics")).status, 404);
}

TEST(Site, HasMorePagesAndTakesWhatIsSent) {
  auto more = options("/m");
  more.more_pages["/sync"] = [](const http::Request& request) {
    return http::text_response(200, std::string(request.query()));
  };
  more.posts["/api/retry"] = [](const http::Request& request) {
    return http::text_response(200, request.body);
  };
  const Site site(more);
  EXPECT_EQ(site.respond(get("/m/sync?a=b")).body, "a=b");
  EXPECT_EQ(site.respond(get("/sync")).status, 404);
  auto sent = get("/m/api/retry");
  EXPECT_EQ(site.respond(sent).status, 405);
  EXPECT_EQ(site.respond(sent).headers.get("Allow"), "POST, OPTIONS");
  sent.method = http::Method::Post;
  sent.body = "this";
  EXPECT_EQ(site.respond(sent).body, "this");
  sent.target = "/m/sync";
  EXPECT_EQ(site.respond(sent).headers.get("Allow"), "GET, HEAD, OPTIONS");
}

TEST(Site, IsReadOnly) {
  http::Request request = get("/");
  request.method = http::Method::Post;
  EXPECT_EQ(Site(options()).respond(request).status, 405);
}

}  // namespace site_test
}  // namespace graspd::serve
