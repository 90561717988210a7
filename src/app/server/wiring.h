// From settings to the options of the parts.
#pragma once
#include "app/base/owner_key.h"
#include "app/config/settings.h"
#include "app/server/member_service.h"
#include "app/server/sync_window.h"
#include "core/result.h"
#include "metrics/registry.h"
#include "serve/fetch/fetch_driver.h"
#include "serve/fetch/verifier.h"
#include "serve/git/git_server.h"
#include "serve/host/grasp_host.h"
#include "serve/host/repository_sizes.h"
#include "serve/relay/relay_server.h"
#include "serve/runtime/disk_watch.h"
#include "serve/runtime/free_disk.h"
#include "serve/site/site.h"
#include "serve/sync/sync_service.h"
#include "web/hosted.h"

namespace graspd::app {

using HostedFn = std::function<web::Hosted()>;  // empty: nothing is hosted

// Where the relay's identity may lie.
OwnerKeyPlaces owner_places(const Settings& settings);
// The guard of NGIT_MIN_FREE_DISK_BYTES over the folders that this server writes to.
std::shared_ptr<const serve::FreeDisk> free_disk(const Settings& settings);
// What metrics call these folders.
std::vector<std::pair<std::filesystem::path, std::string>> folder_names(const Settings& settings);
serve::RepositorySizesOptions size_options(const Settings& settings);
serve::RelayServerOptions relay_options(const Settings& settings, const OwnerKey& owner,
                                        std::uint16_t port, metrics::Histogram durations,
                                        MemberService* members);  // nullptr: of a public service
relay::Identity identity(const Settings& settings, const OwnerKey& owner, std::uint16_t port);
serve::SiteOptions site_options(const Settings& settings, const OwnerKey& owner, std::uint16_t port,
                                metrics::Registry& registry, const serve::DiskWatch& disk,
                                serve::RelayServer& relay, HostedFn hosted,
                                const SyncWindow* sync);  // nullptr: there is none
// POST /api/verify, for `graspd verify`. The verifier lives longer than the site.
void add_verify_page(serve::SiteOptions& site, const Settings& settings, std::uint16_t port,
                     serve::Verifier& verifier);
serve::SyncSources sync_sources(serve::GraspHost& host);
// What the start page lists.
HostedFn hosted_by(serve::GraspHost& host);

// The failure is a sentence for the operator.
core::Result<serve::GraspHostOptions, std::string> host_options(const Settings& settings,
                                                                const OwnerKey& owner,
                                                                std::uint16_t port);
serve::FetchDriverOptions fetch_options(const Settings& settings, const grasp::Service& own,
                                        const MemberService* members);
serve::SyncServiceOptions sync_options(const Settings& settings, std::uint16_t port);
serve::VerifierOptions verifier_options(const Settings& settings, const grasp::Service& own,
                                        const MemberService* members);
serve::GitServerOptions git_options(const Settings& settings, std::uint16_t port,
                                    serve::Verifier& verifier, const SyncWindow& window,
                                    const MemberService* members);

}  // namespace graspd::app
