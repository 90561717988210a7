#include "git/fetch_talk.h"

#include <algorithm>
#include <charconv>

#include "core/ascii.h"

namespace graspd::git {
namespace {

constexpr std::size_t kLineMax = 4096;
constexpr std::size_t kComplaintMax = 300;
// Who asks for more is not waited for; who asks for less than a second means a second.
constexpr core::Duration kRetryAfterMax = std::chrono::hours(24);

// "05:47:55.286315 http.c:684              => Send header: GET ...": the mark stands within this.
constexpr std::size_t kTracePrefixMax = 64;

std::optional<std::string_view> after(std::string_view line, std::string_view mark) {
  const auto at = line.substr(0, kTracePrefixMax + mark.size()).find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  return line.substr(at + mark.size());
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

template <class Number>
std::optional<Number> leading_number(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

// libcurl-errors(3): certificates, handshakes, ciphers.
bool is_tls_code(int code) {
  constexpr int kCodes[] = {35, 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91, 98};
  return std::ranges::count(kCodes, code) > 0;
}

}  // namespace

void FetchTalk::add(std::string_view piece) {
  for (const char c : piece) {
    if (c == '\n' || c == '\r') {
      end();
    } else if (line_.size() < kLineMax) {
      line_ += c;
    }
  }
}

void FetchTalk::end() {
  read_line(line_);
  line_.clear();
}

void FetchTalk::read_line(std::string_view line) {
  if (line.starts_with("remote: ")) return;  // R1
  if (line.starts_with("fatal: ") || line.starts_with("error: ")) return read_complaint(line);
  if (const auto info = after(line, "== Info: ")) return read_info(*info);
  if (const auto sent = after(line, "=> Send header: ")) return read_sent(*sent);
  if (const auto header = after(line, "<= Recv header: ")) return read_header(*header);
}

void FetchTalk::read_info(std::string_view text) {
  if (text.starts_with("Connected to ") || text.starts_with("Established connection "))
    connected_ = true;
}

void FetchTalk::read_sent(std::string_view text) {
  requested_ = connected_ = true;
  posted_ |= text.starts_with("POST ");
}

void FetchTalk::read_header(std::string_view text) {
  if (text.starts_with("HTTP/")) {
    const auto status =
        leading_number<std::uint16_t>(text.substr(std::min(text.find(' '), text.size())));
    if (!status || *status < 200) return;
    status_ = *status;
    retry_after_.reset();
    return;
  }
  const std::string header = core::lowered(text);
  if (header.starts_with("content-type:") && status_ == 200) {
    const bool is_smart = contains(header, "application/x-git-upload-pack-");
    smart_ |= is_smart;
    dumb_ |= !is_smart;
  }
  if (!header.starts_with("retry-after:")) return;
  if (const auto seconds = leading_number<std::uint32_t>(std::string_view(header).substr(12)))
    retry_after_ =
        std::min<core::Duration>(std::chrono::seconds(std::max(*seconds, 1U)), kRetryAfterMax);
}

void FetchTalk::read_complaint(std::string_view line) {
  complaint_ = line.substr(line.find(' ') + 1, kComplaintMax);
  read_refusal(line);
  if (line.starts_with("fatal: remote error: ")) {  // R1
    refused_by_remote_ = true;
    return;
  }
  cut_ |= contains(line, "early EOF") || contains(line, "hung up unexpectedly") ||
          contains(line, "unexpected disconnect");
  out_of_memory_ |= contains(line, "ut of memory");
  disk_full_ |= contains(line, "No space left on device");
  if (const auto at = line.find("RPC failed; "); at != std::string_view::npos) {
    const auto curl = line.find("curl ", at);
    if (curl != std::string_view::npos)
      curl_code_ = leading_number<int>(line.substr(curl + 5)).value_or(curl_code_);
  }
}

// R2. `upload-pack: not our ref <oid>` in version 2, one at a time; in version 0 git itself says
// "Server does not allow request for unadvertised object <oid>", all of them.
void FetchTalk::read_refusal(std::string_view line) {
  if (!line.starts_with("fatal: remote error: ") && !contains(line, "unadvertised object")) return;
  for (std::size_t at = 0; at + 2 * Oid::kSize <= line.size(); ++at) {
    const auto oid = Oid::parse(line.substr(at, 2 * Oid::kSize));
    if (oid && wants_.contains(*oid)) refused_.insert(*oid);
  }
}

FetchError FetchTalk::conclude(bool is_tls, bool is_fetch) const {
  FetchError error{failure(is_tls, is_fetch), complaint_, status_, std::nullopt};
  if (error.failure == FetchFailure::RateLimited) error.retry_after = retry_after_;
  return error;
}

FetchFailure FetchTalk::failure(bool is_tls, bool is_fetch) const {
  if (disk_full_) return FetchFailure::OurFault;
  if (out_of_memory_) return FetchFailure::TooLarge;
  if (!requested_) return before_request(is_tls);
  if (const auto failure = by_status()) return *failure;
  if (!refused_.empty()) return FetchFailure::Lacks;
  if (dumb_ || !smart_) return FetchFailure::NotGit;
  if (is_tls_code(curl_code_)) return FetchFailure::Tls;
  if (curl_code_ != 0 || cut_ || refused_by_remote_) return FetchFailure::Broken;
  return is_fetch && posted_ ? FetchFailure::Corrupt : FetchFailure::NotGit;
}

// Whoever accepts a connection and sends no request over it has failed at TLS.
FetchFailure FetchTalk::before_request(bool is_tls) const {
  return is_tls && connected_ ? FetchFailure::Tls : FetchFailure::Unreachable;
}

std::optional<FetchFailure> FetchTalk::by_status() const {
  if (status_ == 0) return FetchFailure::Broken;
  if (status_ < 300) return std::nullopt;
  if (status_ == 429 || (status_ == 503 && retry_after_)) return FetchFailure::RateLimited;
  if (status_ == 401 || status_ == 403 || status_ == 407) return FetchFailure::Unauthorized;
  if (status_ < 400 || status_ == 404 || status_ == 410) return FetchFailure::NotFound;
  return FetchFailure::Broken;
}

}  // namespace graspd::git
