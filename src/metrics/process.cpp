#include "metrics/process.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace graspd::metrics {
namespace {

std::string read_text(const char* path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  constexpr std::string_view kBlank = " \n";
  for (auto start = text.find_first_not_of(kBlank); start != std::string_view::npos;) {
    const auto end = std::min(text.find_first_of(kBlank, start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = text.find_first_not_of(kBlank, end);
  }
  return parts;
}

ProcessStat stat_now() {
  return parse_process_stat(read_text("/proc/self/stat")).value_or(ProcessStat{});
}

double seconds(std::uint64_t ticks) {
  return static_cast<double>(ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double boot_time() {
  const std::string text = read_text("/proc/stat");
  constexpr std::string_view kKey = "\nbtime ";
  const auto at = text.find(kKey);
  if (at == std::string::npos) return 0;
  return static_cast<double>(number(std::string_view(text).substr(at + kKey.size())));
}

double open_files() {
  std::error_code error;
  const std::filesystem::directory_iterator files("/proc/self/fd", error);
  // One of them is the folder being read.
  return error ? 0 : static_cast<double>(std::distance(begin(files), end(files)) - 1);
}

double max_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return static_cast<double>(limit.rlim_cur);
}

}  // namespace

std::optional<ProcessStat> parse_process_stat(std::string_view text) {
  const auto name_end = text.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  // Field 3 of proc(5) is the first after the name.
  const auto fields = split(text.substr(name_end + 1));
  constexpr std::size_t kFirst = 3, kResident = 24;
  if (fields.size() <= kResident - kFirst) return std::nullopt;
  const auto field = [&](std::size_t n) { return number(fields[n - kFirst]); };
  return ProcessStat{.user_ticks = field(14),
                     .system_ticks = field(15),
                     .threads = field(20),
                     .start_ticks = field(22),
                     .virtual_bytes = field(23),
                     .resident_pages = field(kResident)};
}

void add_process_metrics(Registry& registry) {
  registry.read_counter("process_cpu_seconds_total", "User and system CPU time spent, in seconds.",
                        [] {
                          const ProcessStat stat = stat_now();
                          return seconds(stat.user_ticks + stat.system_ticks);
                        });
  registry.read_gauge("process_resident_memory_bytes", "Resident memory, in bytes.", [] {
    return static_cast<double>(stat_now().resident_pages) *
           static_cast<double>(::sysconf(_SC_PAGESIZE));
  });
  registry.read_gauge("process_virtual_memory_bytes", "Virtual memory, in bytes.",
                      [] { return static_cast<double>(stat_now().virtual_bytes); });
  registry.read_gauge("process_threads", "Threads.",
                      [] { return static_cast<double>(stat_now().threads); });
  registry.read_gauge("process_open_fds", "Open file descriptors.", open_files);
  registry.read_gauge("process_max_fds", "Most file descriptors this process may open.", max_files);
  registry.read_gauge("process_start_time_seconds", "Start of the process, in Unix seconds.",
                      [] { return boot_time() + seconds(stat_now().start_ticks); });
}

}  // namespace graspd::metrics
