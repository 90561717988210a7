#include "serve/git/git_server.h"

#include <atomic>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "git/pkt_line.h"
#include "net/clock.h"
#include "net/loopback_peer_testing.h"
#include "relay/http_auth.h"
#include "serve/host/grasp_host_testing.h"
#include "serve/runtime/waiting_testing.h"

namespace graspd::serve {
namespace git_server_test {

using namespace host_testing;
using gitio::testing::git;

constexpr std::uint8_t kOwner = 1;

// Every repository has lost its data, or none.
class FixedInspector final : public DataInspector {
 public:
  std::optional<std::string> known_loss(const grasp::Coordinate&) const override {
    return is_lost ? "it lacks objects" : "";
  }
  std::string look_for_loss(const grasp::Coordinate& repo) override { return *known_loss(repo); }
  bool repairs() const override { return false; }
  std::optional<grasp::GitHealth> health(const grasp::Coordinate&) const override { return {}; }

  std::atomic<bool> is_lost = false;
};

// A server with the git server behind it and nothing else.
class GitHost final : public net::Handler {
 public:
  explicit GitHost(GitServerOptions options = {}) {
    auto listening = net::listen({"127.0.0.1", 0, std::nullopt}, {});
    CHECK(listening);
    server_ = *std::move(listening);
    options.inspector = &inspector;
    options.page = [](const std::optional<grasp::RepositoryCard>& card, std::string_view) {
      return card ? http::text_response(200, "a page") : http::text_response(404, "no page");
    };
    git_server.emplace(std::move(options), *world.host, *server_);
    server_->start(*this);
  }
  GitHost(const GitHost&) = delete;
  GitHost& operator=(const GitHost&) = delete;
  ~GitHost() override { server_->stop(waiting::kPatience); }

  http::Response respond(const http::Request&) override {
    return http::text_response(404, "not for git\n");
  }
  std::optional<http::Response> refuse_upgrade(const http::Request&) override {
    return http::text_response(404, "not for git\n");
  }
  net::Task<void> serve(std::shared_ptr<net::WebSocket>, http::Request, std::size_t) override {
    co_return;
  }
  void decorate(http::Headers&) const override {}
  std::optional<net::StreamOptions> streams(const http::Request& request) override {
    return git_server->streams(request);
  }
  net::Task<void> exchange(std::shared_ptr<net::Exchange> exchange) override {
    return git_server->exchange(std::move(exchange));
  }

  std::uint16_t port() const { return server_->port(); }
  std::string path(const std::string& identifier = "project") const {
    return fmt::format("/{}/{}.git", nostr::nip19::npub(keypair(kOwner).public_key()), identifier);
  }
  std::string url(const std::string& identifier = "project") const {
    return fmt::format("http://127.0.0.1:{}{}", port(), path(identifier));
  }
  std::string get(const std::string& target) const {
    net::LoopbackPeer client(port());
    client.send(fmt::format("GET {} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", target));
    return client.read_all();
  }
  const GitMeters& meters() { return git_server->meters(); }

  Host world;
  FixedInspector inspector;
  std::optional<GitServer> git_server;

 private:
  std::unique_ptr<net::Server> server_;
};

// Somebody's repository, and git as they use it.
class Workplace {
 public:
  Workplace() { git(folder_.path(), {"init", "-q", "-b", "main", "here"}); }

  std::filesystem::path here() const { return folder_.path() / "here"; }
  std::filesystem::path folder() const { return folder_.path(); }
  git::Oid commit(std::string_view content) const {
    const git::Oid made = gitio::testing::commit(here(), content);
    gitio::testing::set_ref(here(), "refs/heads/main", made);
    return made;
  }
  static gitio::Output try_git(const std::filesystem::path& folder,
                               std::vector<std::string> arguments) {
    auto output = gitio::run(gitio::testing::git_in(folder, std::move(arguments)), {});
    CHECK(output);
    return *std::move(output);
  }

 private:
  gitio::testing::TemporaryFolder folder_;
};

void announce(GitHost& host) { host.world.ask(announcement(kOwner, "us.example")); }
// `later`: in the same second the lower id would win.
void declare(GitHost& host, const git::Oid& commit, core::UnixSeconds later = 0) {
  auto state = signed_event(
      kOwner, 30618,
      {{"d", "project"}, {"refs/heads/main", commit.hex()}, {"HEAD", "ref: refs/heads/main"}});
  state.created_at += later;
  keypair(kOwner).sign(state, {});
  host.world.ask(state);
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(GitServer, TakesASignedPushAndServesItToTheNextClone) {
  GitHost host;
  const Workplace owner, reader;
  const git::Oid commit = owner.commit(std::string(300'000, 'x'));
  announce(host);
  declare(host, commit);
  git(owner.here(), {"push", "-q", host.url(), "main"});
  git(reader.folder(), {"clone", "-q", host.url(), "copy"});
  EXPECT_EQ(git(reader.folder() / "copy", {"rev-parse", "HEAD"}), commit.hex());
  EXPECT_EQ(git(reader.folder() / "copy", {"status", "--short"}), "");
  EXPECT_EQ(host.meters().pushes_allowed.value(), 1U);
  EXPECT_GT(host.meters().bytes_in.value(), 0U);
  EXPECT_GT(host.meters().bytes_out.value(), 0U);
}

TEST(GitServer, RefusesAPushThatNobodySigned) {
  GitHost host;
  const Workplace owner;
  const git::Oid signed_commit = owner.commit("one");
  announce(host);
  declare(host, signed_commit);
  owner.commit("two");
  const auto pushed = Workplace::try_git(owner.here(), {"push", "-q", host.url(), "main"});
  EXPECT_NE(pushed.status, 0);
  EXPECT_TRUE(contains(pushed.err, "remote rejected")) << pushed.err;
  EXPECT_EQ(git(owner.folder(), {"ls-remote", host.url()}), "");
}

TEST(GitServer, KnowsOnlyTheRepositoriesOfTheCatalog) {  // R1
  GitHost host;
  // A folder at the right place makes no repository.
  const grasp::Coordinate stray{keypair(kOwner).public_key(), *grasp::Identifier::parse("stray")};
  const auto path = host.world.host->hosting().path(stray);
  std::filesystem::create_directories(path.parent_path());
  gitio::testing::make_repository(path);
  const std::string query = "/info/refs?service=git-upload-pack";
  EXPECT_TRUE(host.get(host.path("stray") + query).starts_with("HTTP/1.1 404"));
  announce(host);
  EXPECT_TRUE(host.get(host.path("project") + query).starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(host.get(host.path("stray") + query).starts_with("HTTP/1.1 404"));
}

TEST(GitServer, SendsAwayAFetchThatWaitsTooLongForAProcess) {  // R3
  GitServerOptions options;
  options.slots.processes_max = 1;
  options.slots.patience = core::Duration(50);
  GitHost host(std::move(options));
  const Workplace owner, reader;
  const git::Oid first = owner.commit("one");
  announce(host);
  declare(host, first);
  git(owner.here(), {"push", "-q", host.url(), "main"});

  // A push whose pack has begun and does not go on occupies the only process.
  std::string noise(400'000, '\0');
  std::uint32_t seed = 1;
  for (char& byte : noise)
    byte = static_cast<char>((seed = seed * 1'664'525 + 1'013'904'223) >> 24);
  const git::Oid next = owner.commit(noise);
  declare(host, next, 10);
  const auto pack = gitio::run_ok(
      gitio::testing::git_in(owner.here(), {"pack-objects", "-q", "--revs", "--stdout"}),
      next.hex() + "\n");
  ASSERT_TRUE(pack);
  std::string body;
  git::append_pkt(body, fmt::format("{} {} refs/heads/main", first.hex(), next.hex()) +
                            std::string(1, '\0') + "report-status");
  body += git::kFlushPkt;
  body += *pack;
  net::LoopbackPeer pusher(host.port());
  pusher.send(
      fmt::format("POST {}/git-receive-pack HTTP/1.1\r\nHost: x\r\nContent-Type: "
                  "application/x-git-receive-pack-request\r\nContent-Length: {}\r\n\r\n",
                  host.path(), body.size()));
  pusher.send(std::string_view(body).substr(0, body.size() / 2));
  ASSERT_TRUE(waiting::comes_true([&] { return host.git_server->slots().taken() == 1; }));

  // Advertisements have slots of their own.
  const auto listed = git(reader.folder(), {"-c", "protocol.version=0", "ls-remote", host.url()});
  EXPECT_TRUE(contains(listed, first.hex()));
  const auto cloned = Workplace::try_git(reader.folder(), {"clone", "-q", host.url(), "copy"});
  EXPECT_NE(cloned.status, 0);
  EXPECT_TRUE(contains(cloned.err, "503")) << cloned.err;
  EXPECT_EQ(host.meters().refused_busy.value(), 1U);

  pusher.send(std::string_view(body).substr(body.size() / 2));
  pusher.read_until("ok refs/heads/main");
  git(reader.folder(), {"clone", "-q", host.url(), "copy"});
  EXPECT_EQ(git(reader.folder() / "copy", {"rev-parse", "HEAD"}), next.hex());
}

// A private service whose only member is the owner.
struct PrivateHost {
  Members members{
      relay::MemberSet({}, {keypair(kOwner).public_key()}, relay::MemberSet::Derives::No)};
  std::shared_ptr<MemberGate> gate =
      std::make_shared<MemberGate>("https://git.example", "git.example", members);
  GitHost host{options()};

  GitServerOptions options() const {
    GitServerOptions options;
    options.members = gate;
    return options;
  }
  std::string ask(const std::string& target, std::uint8_t who, bool is_post = false) const {
    const std::string root = "https://git.example" + host.path();
    const auto draft = relay::http_auth_draft("GET", root, "");
    nostr::Event event{
        .created_at = net::now().unix_seconds, .kind = draft.kind, .tags = draft.tags};
    keypair(who).sign(event, {});
    net::LoopbackPeer client(host.port());
    client.send(
        fmt::format("{} {} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                    "Authorization: {}\r\n{}\r\n",
                    is_post ? "POST" : "GET", target, relay::http_auth_header(event),
                    is_post ? "Content-Length: 4\r\n" : ""));
    if (is_post) client.send("0000");
    return client.read_all();
  }
};

// Without the date.
std::string without_date(std::string answer) {
  const auto begin = answer.find("Date: ");
  if (begin != std::string::npos) answer.erase(begin, answer.find('\n', begin) - begin + 1);
  return answer;
}

TEST(GitServer, OfAPrivateServiceAnswersMembersOnly) {  // R7
  PrivateHost home;
  announce(home.host);
  const std::string refs = home.host.path() + "/info/refs?service=git-upload-pack";
  EXPECT_TRUE(home.ask(refs, kOwner).starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(home.ask(home.host.path(), kOwner).ends_with("a page"));
  EXPECT_TRUE(home.ask(home.host.path() + "/unknown", kOwner).starts_with("HTTP/1.1 404"));
  EXPECT_FALSE(
      home.ask(home.host.path() + "/git-upload-pack", kOwner, true).starts_with("HTTP/1.1 401"));
}

TEST(GitServer, OfAPrivateServiceTellsStrangersAlwaysTheSame) {  // R7
  PrivateHost home;
  announce(home.host);
  const std::string refused = without_date(home.host.get(home.host.path()));
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 401"));
  EXPECT_TRUE(
      contains(refused, "WWW-Authenticate: Nostr realm=\"git.example\", method=\"GET\"\r\n"));
  EXPECT_TRUE(contains(refused, "WWW-Authenticate: Basic realm=\"git.example\"\r\n"));
  EXPECT_TRUE(refused.ends_with("\r\n\r\n"));
  for (const std::string& path :
       {home.host.path() + "/info/refs?service=git-upload-pack", home.host.path() + "/unknown",
        home.host.path("other"), home.host.path("other") + "/info/refs", home.host.path() + "/",
        home.host.path() + "x/y", std::string("/npub1nobody/x.git")}) {
    EXPECT_EQ(without_date(home.host.get(path)), refused) << path;
    EXPECT_EQ(without_date(home.ask(path, kOwner + 1)), refused) << path;
  }
  EXPECT_EQ(without_date(home.ask(home.host.path() + "/git-receive-pack", kOwner + 1, true)),
            refused);
}

TEST(GitServer, OfAPrivateServiceForgetsWhoIsRemoved) {  // R7
  PrivateHost home;
  announce(home.host);
  const std::string refs = home.host.path() + "/info/refs?service=git-upload-pack";
  EXPECT_TRUE(home.ask(refs, kOwner).starts_with("HTTP/1.1 200"));
  home.members.use_named({});
  EXPECT_TRUE(home.ask(refs, kOwner).starts_with("HTTP/1.1 401"));
}

TEST(GitServer, LetsNobodyKeepItsAnswers) {  // R4
  GitHost host;
  announce(host);
  const auto answer = host.get(host.path() + "/info/refs?service=git-upload-pack");
  EXPECT_TRUE(contains(answer, "Cache-Control: no-cache, max-age=0, must-revalidate\r\n"));
  EXPECT_TRUE(contains(answer, "Content-Type: application/x-git-upload-pack-advertisement\r\n"));
}

TEST(GitServer, RefusesToServeLostDataAndLetsThePushThroughThatRestoresIt) {  // R5
  GitHost host;
  const Workplace owner;
  const git::Oid commit = owner.commit("one");
  announce(host);
  declare(host, commit);
  host.inspector.is_lost = true;
  const auto fetched = host.get(host.path() + "/info/refs?service=git-upload-pack");
  EXPECT_TRUE(fetched.starts_with("HTTP/1.1 503")) << fetched;
  EXPECT_TRUE(contains(fetched, "Retry-After: ")) << fetched;
  EXPECT_EQ(host.meters().refused_incomplete.value(), 1U);
  git(owner.here(), {"push", "-q", host.url(), "main"});
  host.inspector.is_lost = false;
  EXPECT_TRUE(contains(git(owner.folder(), {"ls-remote", host.url()}), commit.hex()));
}

TEST(GitServer, ShowsAPageAtTheAddressAndRedirectsWhoForgetsItsEnding) {
  GitHost host;
  announce(host);
  EXPECT_TRUE(host.get(host.path()).ends_with("a page"));
  EXPECT_TRUE(host.get(host.path("other")).ends_with("no page"));
  std::string without = host.path();
  without.resize(without.size() - 4);
  const auto moved = host.get(without);
  EXPECT_TRUE(moved.starts_with("HTTP/1.1 30")) << moved;
  EXPECT_TRUE(contains(moved, "Location: " + host.path() + "\r\n")) << moved;
}

}  // namespace git_server_test
}  // namespace graspd::serve
