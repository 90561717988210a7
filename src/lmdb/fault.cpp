#include "lmdb/fault.h"

#include <array>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <unistd.h>

namespace graspd::lmdb {
namespace {

// What a broken page makes LMDB reach for lies in the map, or not far behind it.
constexpr std::uintptr_t kBehindMap = 1 << 20;

void say(std::string_view text) {
  // Nothing can be done about an error here.
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

// "7f00-7f10 r--s … /path/data.mdb"
bool is_about(std::string_view line, std::uintptr_t address) {
  if (!line.ends_with("/data.mdb")) return false;
  std::uintptr_t begin = 0, end = 0;
  const char* const last = line.data() + line.size();
  const auto first = std::from_chars(line.data(), last, begin, 16);
  if (first.ptr == last || *first.ptr != '-') return false;
  std::from_chars(first.ptr + 1, last, end, 16);
  return begin <= address && address < end + kBehindMap;
}

// Only system calls: this runs in a signal handler.
bool is_in_map(std::uintptr_t address) {
  const int maps = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  std::array<char, 8192> buffer;
  std::size_t kept = 0;
  bool found = false;
  while (maps >= 0 && !found) {
    const ssize_t got = ::read(maps, buffer.data() + kept, buffer.size() - kept);
    if (got <= 0) break;
    std::string_view text(buffer.data(), kept + static_cast<std::size_t>(got));
    for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
      found = found || is_about(text.substr(0, end), address);
      text.remove_prefix(end + 1);
    }
    kept = text.size() < buffer.size() ? text.size() : 0;
    for (std::size_t i = 0; i < kept; ++i) buffer[i] = text[i];
  }
  if (maps >= 0) ::close(maps);
  return found;
}

void on_fault(int signal, siginfo_t* info, void* /*context*/) {
  if (is_in_map(reinterpret_cast<std::uintptr_t>(info->si_addr)))
    end_by_damage("it cannot be read where it should");
  std::signal(signal, SIG_DFL);  // and the instruction is tried again
}

}  // namespace

void explain_faults() {
  struct sigaction action{};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
  sigaction(SIGSEGV, &action, nullptr);
}

void end_by_damage(std::string_view what) {
  say("graspd: the event database is damaged (");
  say(what);
  say("): stop the server, and put a backup in its place; graspd check says whether one is "
      "sound\n");
  ::_exit(1);
}

}  // namespace graspd::lmdb
