// Numbers for Prometheus. The only user of prometheus-cpp, and only for its text.
//
//   R1  A handle is one atomic: counting takes no lock and may happen on any thread.
//   R2  Asking again for the same name and labels gives the same number.
//   R3  A family has at most kSeriesMax series: strangers choose some label values. Further ones
//       are counted together under the value "other".
// Handles live as long as the registry.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace graspd::metrics {

using Labels = std::map<std::string, std::string>;
using Samples = std::vector<std::pair<Labels, double>>;
using ReadSamples = std::function<Samples()>;

class Counter {
 public:
  explicit Counter(std::atomic<std::uint64_t>& value) : value_(&value) {}
  void inc(std::uint64_t by = 1) const { value_->fetch_add(by, std::memory_order_relaxed); }
  std::uint64_t value() const { return value_->load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t>* value_;
};

class Gauge {
 public:
  explicit Gauge(std::atomic<double>& value) : value_(&value) {}
  void set(double value) const { value_->store(value, std::memory_order_relaxed); }
  void add(double by) const { value_->fetch_add(by, std::memory_order_relaxed); }
  double value() const { return value_->load(std::memory_order_relaxed); }

 private:
  std::atomic<double>* value_;
};

struct Buckets;  // counts by size

class Histogram {
 public:
  explicit Histogram(Buckets& buckets) : buckets_(&buckets) {}
  void observe(double value) const;

 private:
  Buckets* buckets_;
};

class Registry {
 public:
  static constexpr std::size_t kSeriesMax = 200;

  Registry();
  ~Registry();

  Counter counter(std::string_view name, std::string_view help, const Labels& labels = {});
  Gauge gauge(std::string_view name, std::string_view help, const Labels& labels = {});
  Histogram histogram(std::string_view name, std::string_view help,
                      const std::vector<double>& bounds, const Labels& labels = {});

  // Numbers that others keep, asked for at each render. May be called from any thread.
  void read_counter(std::string_view name, std::string_view help, std::function<double()> read,
                    const Labels& labels = {});
  void read_gauge(std::string_view name, std::string_view help, std::function<double()> read,
                  const Labels& labels = {});

  // Numbers that come and go with their labels: one per entry of what `read` returns.
  void read_counters(std::string_view name, std::string_view help, ReadSamples read);
  void read_gauges(std::string_view name, std::string_view help, ReadSamples read);
  // The same with one label, whose value is the entry's name.
  void read_gauges(std::string_view name, std::string_view help, std::string_view label,
                   std::function<std::vector<std::pair<std::string, double>>()> read);

  std::string render() const;  // text format 0.0.4

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

inline constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace graspd::metrics
