#include "serve/host/repository_sizes.h"

#include <algorithm>

#include "gitio/maintenance.h"

namespace graspd::serve {
namespace {

namespace fs = std::filesystem;

// Keeps the largest of what it is given in little more space than they take.
class Largest {
 public:
  explicit Largest(std::size_t count) : count_(count) {}
  void add(std::string name, std::uint64_t bytes) {
    named_.emplace_back(std::move(name), bytes);
    if (named_.size() >= 2 * count_ + 16) cut();
  }
  std::vector<std::pair<std::string, std::uint64_t>> take() {
    cut();
    return std::move(named_);
  }

 private:
  void cut() {
    std::ranges::sort(named_, [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    if (named_.size() > count_) named_.resize(count_);
  }

  std::size_t count_;
  std::vector<std::pair<std::string, std::uint64_t>> named_;
};

}  // namespace

RepositorySizes::Sizes sizes_below(const fs::path& root, std::size_t top,
                                   const std::stop_token& stop) {
  RepositorySizes::Sizes sizes;
  Largest largest(top);
  std::error_code ignored;
  for (const auto& owner : fs::directory_iterator(root, ignored)) {
    if (!owner.path().filename().string().starts_with("npub1")) continue;
    for (const auto& repository : fs::directory_iterator(owner.path(), ignored)) {
      if (stop.stop_requested()) return sizes;
      if (repository.path().extension() != ".git") continue;
      const std::uint64_t bytes = gitio::disk_bytes(repository.path());
      sizes.all += bytes;
      largest.add(repository.path().lexically_relative(root).string(), bytes);
    }
  }
  sizes.largest = largest.take();
  return sizes;
}

RepositorySizes::RepositorySizes(RepositorySizesOptions options)
    : options_(std::move(options)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void RepositorySizes::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    auto sizes = sizes_below(options_.root, options_.top, stop);
    std::unique_lock lock(mutex_);
    if (!stop.stop_requested()) last_ = std::move(sizes);
    wake_.wait_for(lock, stop, options_.interval, [] { return false; });
  }
}

RepositorySizes::Sizes RepositorySizes::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

void add_size_metrics(metrics::Registry& registry, const RepositorySizes& sizes) {
  registry.read_gauge("ngit_git_disk_bytes", "What the packs of all repositories take on disk",
                      [&sizes] { return static_cast<double>(sizes.last().all); });
  registry.read_gauges("ngit_git_top_repos_disk_bytes", "Repositories that take most disk space",
                       "repo", [&sizes] {
                         std::vector<std::pair<std::string, double>> top;
                         for (const auto& [name, bytes] : sizes.last().largest)
                           top.emplace_back(name, static_cast<double>(bytes));
                         return top;
                       });
}

}  // namespace graspd::serve
