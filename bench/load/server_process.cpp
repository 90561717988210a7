#include "load/server_process.h"

#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <fstream>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "load/failure.h"
#include "load/http_get.h"
#include "load/measure.h"

namespace graspd::load {
namespace {

constexpr double kReadySecondsMax = 60, kStopSecondsMax = 40;

// The server would find one itself, but could not tell us which.
std::uint16_t free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool bound = ::bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  ::close(fd);
  if (!bound) throw Failed("no free port");
  return ntohs(address.sin_port);
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

pid_t start(const std::vector<std::string>& command, const Environment& environment,
            const std::filesystem::path& log) {
  const std::vector<char*> argv = pointers(command), envp = pointers(environment);
  const std::string directory = log.parent_path();
  const pid_t parent = ::getpid(), pid = ::fork();
  if (pid < 0) throw Failed("fork");
  if (pid > 0) return pid;

  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // R2
  if (::getppid() != parent || ::chdir(directory.c_str()) != 0) ::_exit(126);
  const int fd = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  ::dup2(fd, STDOUT_FILENO);
  ::dup2(fd, STDERR_FILENO);
  ::execve(argv[0], argv.data(), envp.data());
  ::_exit(127);
}

// nullopt while it runs.
std::optional<int> exit_status(pid_t pid) {
  int status = 0;
  if (::waitpid(pid, &status, WNOHANG) == 0) return std::nullopt;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::optional<int> wait_for_end(pid_t pid, double seconds_max) {
  const Deadline deadline(seconds_max);
  while (!deadline.passed()) {
    if (const std::optional<int> status = exit_status(pid)) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return std::nullopt;
}

std::string last_lines(const std::filesystem::path& log) {
  std::ifstream file(log);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return text.size() > 800 ? text.substr(text.size() - 800) : text;
}

double value_of(std::string_view line) {
  const std::size_t space = line.rfind(' ');
  return space == std::string_view::npos ? 0 : std::strtod(line.data() + space, nullptr);
}

}  // namespace

ScratchDirectory::ScratchDirectory() {
  std::string pattern = std::filesystem::temp_directory_path() / "graspd_load.XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) throw Failed("no temporary directory");
  path_ = pattern;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Environment server_environment(const std::filesystem::path& data, std::uint16_t port) {
  Environment environment{"NGIT_BIND_ADDRESS=127.0.0.1:" + std::to_string(port),
                          "NGIT_RELAY_DATA_PATH=" + (data / "relay").string(),
                          "NGIT_ACCEPT=open",  // what is measured is the relay
                          "NGIT_LOG_LEVEL=warn"};
  for (const char* unlimited :
       {"MAX_CONNECTIONS", "MAX_CONNECTIONS_PER_IP", "MAX_EVENTS_PER_MINUTE",
        "MAX_EVENTS_PER_MINUTE_PER_IP", "MAX_QUERIES_PER_MINUTE", "RELAY_FILTER_LIMIT",
        "RELAY_MAX_SUBSCRIPTIONS", "MAX_NEGENTROPY_ITEMS"})
    environment.push_back(std::string("NGIT_") + unlimited + "=0");
  for (const char* kept : {"PATH", "HOME", "LD_LIBRARY_PATH"})
    if (const char* value = std::getenv(kept))
      environment.push_back(std::string(kept) + "=" + value);
  return environment;
}

double run_to_end(const std::vector<std::string>& command, const Environment& environment,
                  const std::filesystem::path& log, double seconds_max) {
  const pid_t pid = start(command, environment, log);
  const Deadline deadline(seconds_max);
  siginfo_t ended{};
  while (::waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         ended.si_pid == 0 && !deadline.passed())
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const double cpu = cpu_seconds_of(pid);
  if (ended.si_pid == 0) ::kill(pid, SIGKILL);
  const std::optional<int> status = wait_for_end(pid, kStopSecondsMax);
  if (status != 0) throw Failed(command[0] + " failed: " + last_lines(log));
  return cpu;
}

ServerProcess::ServerProcess(const std::string& binary, const std::filesystem::path& data)
    : log_(data / "server.log"), port_(free_port()) {
  pid_ = start({binary, "serve"}, server_environment(data, port_), log_);
  try {
    await_ready();
  } catch (const Failed&) {
    ::kill(pid_, SIGKILL);
    wait_for_end(pid_, kStopSecondsMax);
    throw;
  }
}

ServerProcess::~ServerProcess() {
  if (std::uncaught_exceptions() > 0)
    std::fprintf(stderr, "  server %s; its log ends:\n%s\n", has_ended() ? "ended" : "is running",
                 last_lines(log_).c_str());
  ::kill(pid_, SIGTERM);
  if (wait_for_end(pid_, kStopSecondsMax)) return;
  ::kill(pid_, SIGKILL);
  wait_for_end(pid_, kStopSecondsMax);
}

void ServerProcess::await_ready() const {
  const Deadline deadline(kReadySecondsMax);
  while (!deadline.passed()) {
    const std::optional<HttpAnswer> answer = http_get(port_, "/readyz");
    if (answer && answer->status == 200) return;
    if (has_ended()) throw Failed("the server ended at once: " + last_lines(log_));
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  throw Failed("the server did not become ready: " + last_lines(log_));
}

bool ServerProcess::has_ended() const {
  siginfo_t ended{};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         ended.si_pid != 0;
}

double ServerProcess::cpu_seconds() const { return cpu_seconds_of(pid_); }

std::uint64_t ServerProcess::resident_bytes() const {
  std::ifstream file("/proc/" + std::to_string(pid_) + "/statm");
  std::uint64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::optional<double> ServerProcess::metric(const std::string& name) const {
  const std::optional<HttpAnswer> answer = http_get(port_, "/metrics");
  if (!answer || answer->status != 200) return std::nullopt;
  std::optional<double> sum;
  for (std::size_t at = 0; at < answer->body.size();) {
    const std::size_t end = std::min(answer->body.find('\n', at), answer->body.size());
    const std::string line = answer->body.substr(at, end - at);
    at = end + 1;
    if (line.starts_with(name + " ") || line.starts_with(name + "{"))
      sum = sum.value_or(0) + value_of(line);
  }
  return sum;
}

}  // namespace graspd::load
