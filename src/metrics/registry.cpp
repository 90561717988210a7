#include "metrics/registry.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>
#include <sstream>
#include <utility>

#include "core/check.h"

namespace graspd::metrics {

struct Buckets {
  explicit Buckets(const std::vector<double>& upper_bounds)
      : bounds(upper_bounds), counts(upper_bounds.size() + 1) {
    CHECK(std::is_sorted(bounds.begin(), bounds.end()));
  }
  std::vector<double> bounds;
  std::vector<std::atomic<std::uint64_t>> counts;  // one more: above every bound
  std::atomic<double> sum{0};
};

void Histogram::observe(double value) const {
  const auto& bounds = buckets_->bounds;
  const auto bound = std::lower_bound(bounds.begin(), bounds.end(), value);
  const auto index = static_cast<std::size_t>(bound - bounds.begin());
  buckets_->counts[index].fetch_add(1, std::memory_order_relaxed);
  buckets_->sum.fetch_add(value, std::memory_order_relaxed);
}

namespace {

using prometheus::ClientMetric;
using prometheus::MetricType;

struct Series {
  std::atomic<std::uint64_t> count{0};
  std::atomic<double> level{0};
  std::unique_ptr<Buckets> buckets;
  std::function<double()> read;
};

struct Family {
  MetricType type;
  std::string help;
  std::map<Labels, Series> series;
  ReadSamples read_many;
};

void add_many(std::vector<ClientMetric>& out, const Family& family) {
  if (!family.read_many) return;
  for (const auto& [labels, value] : family.read_many()) {
    ClientMetric& metric = out.emplace_back();
    for (const auto& [name, text] : labels) metric.label.push_back({name, text});
    (family.type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
  }
}

Labels bounded(const Family& family, Labels labels) {
  if (family.series.size() < Registry::kSeriesMax || family.series.contains(labels)) return labels;
  for (auto& [name, value] : labels) value = "other";  // R3
  return labels;
}

void fill(ClientMetric::Histogram& out, const Buckets& buckets) {
  for (std::size_t i = 0; i < buckets.counts.size(); ++i) {
    out.sample_count += buckets.counts[i].load(std::memory_order_relaxed);
    const double bound =
        i < buckets.bounds.size() ? buckets.bounds[i] : std::numeric_limits<double>::infinity();
    out.bucket.push_back({out.sample_count, bound});
  }
  out.sample_sum = buckets.sum.load(std::memory_order_relaxed);
}

ClientMetric exported(MetricType type, const Labels& labels, const Series& series) {
  ClientMetric metric;
  for (const auto& [name, value] : labels) metric.label.push_back({name, value});
  if (type == MetricType::Histogram) {
    fill(metric.histogram, *series.buckets);
  } else if (type == MetricType::Counter) {
    metric.counter.value = series.read ? series.read() : static_cast<double>(series.count);
  } else {
    metric.gauge.value = series.read ? series.read() : series.level.load();
  }
  return metric;
}

}  // namespace

struct Registry::Families {
  Series& series(MetricType type, std::string_view name, std::string_view help,
                 const Labels& labels) {
    const auto found = by_name.find(name);
    Family& family =
        found != by_name.end()
            ? found->second
            : by_name.emplace(name, Family{type, std::string(help), {}, {}}).first->second;
    CHECK(family.type == type);
    return family.series[bounded(family, labels)];
  }

  mutable std::mutex mutex;
  std::map<std::string, Family, std::less<>> by_name;
};

Registry::Registry() : families_(std::make_unique<Families>()) {}
Registry::~Registry() = default;

Counter Registry::counter(std::string_view name, std::string_view help, const Labels& labels) {
  const std::lock_guard lock(families_->mutex);
  return Counter(families_->series(MetricType::Counter, name, help, labels).count);
}

Gauge Registry::gauge(std::string_view name, std::string_view help, const Labels& labels) {
  const std::lock_guard lock(families_->mutex);
  return Gauge(families_->series(MetricType::Gauge, name, help, labels).level);
}

Histogram Registry::histogram(std::string_view name, std::string_view help,
                              const std::vector<double>& bounds, const Labels& labels) {
  const std::lock_guard lock(families_->mutex);
  Series& series = families_->series(MetricType::Histogram, name, help, labels);
  if (!series.buckets) series.buckets = std::make_unique<Buckets>(bounds);
  return Histogram(*series.buckets);
}

void Registry::read_counter(std::string_view name, std::string_view help,
                            std::function<double()> read, const Labels& labels) {
  const std::lock_guard lock(families_->mutex);
  families_->series(MetricType::Counter, name, help, labels).read = std::move(read);
}

void Registry::read_gauge(std::string_view name, std::string_view help,
                          std::function<double()> read, const Labels& labels) {
  const std::lock_guard lock(families_->mutex);
  families_->series(MetricType::Gauge, name, help, labels).read = std::move(read);
}

void Registry::read_counters(std::string_view name, std::string_view help, ReadSamples read) {
  const std::lock_guard lock(families_->mutex);
  families_->by_name.insert_or_assign(
      std::string(name), Family{MetricType::Counter, std::string(help), {}, std::move(read)});
}

void Registry::read_gauges(std::string_view name, std::string_view help, ReadSamples read) {
  const std::lock_guard lock(families_->mutex);
  families_->by_name.insert_or_assign(
      std::string(name), Family{MetricType::Gauge, std::string(help), {}, std::move(read)});
}

void Registry::read_gauges(std::string_view name, std::string_view help, std::string_view label,
                           std::function<std::vector<std::pair<std::string, double>>()> read) {
  read_gauges(name, help, [label = std::string(label), read = std::move(read)] {
    Samples samples;
    for (auto& [value, level] : read()) samples.emplace_back(Labels{{label, value}}, level);
    return samples;
  });
}

std::string Registry::render() const {
  std::vector<prometheus::MetricFamily> families;
  const std::lock_guard lock(families_->mutex);
  for (const auto& [name, family] : families_->by_name) {
    prometheus::MetricFamily out{name, family.help, family.type, {}};
    for (const auto& [labels, series] : family.series) {
      out.metric.push_back(exported(family.type, labels, series));
    }
    add_many(out.metric, family);
    families.push_back(std::move(out));
  }
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, families);
  return text.str();
}

}  // namespace graspd::metrics
