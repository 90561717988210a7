#include "load/corpus.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

#include "core/check.h"
#include "load/corpus_event.h"
#include "load/failure.h"
#include "nostr/serialize.h"

namespace graspd::load {
namespace {

constexpr std::string_view kBeforeId = R"({"id":")", kBeforeTime = R"("created_at":)";
constexpr std::size_t kHexIdChars = 64, kChunk = 20'000;

struct Lines {
  std::size_t count = 0;
  std::size_t bytes = 0;  // up to the last newline
};

Lines count_lines(const std::filesystem::path& file) {
  Lines lines;
  std::ifstream in(file, std::ios::binary);
  std::vector<char> buffer(1 << 20);
  for (std::size_t before = 0; in; before += static_cast<std::size_t>(in.gcount())) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    for (std::size_t i = 0; i < static_cast<std::size_t>(in.gcount()); ++i)
      if (buffer[i] == '\n') lines = {lines.count + 1, before + i + 1};
  }
  return lines;
}

std::string make_lines(const World& world, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t number = begin; number < end; ++number) {
    nostr::append_json(text, world.event(number));
    text.push_back('\n');
  }
  return text;
}

void extend(const std::filesystem::path& file, std::size_t have, std::size_t want) {
  const World world;
  const std::size_t workers = std::max(1u, std::thread::hardware_concurrency());
  std::ofstream out(file, std::ios::binary | std::ios::app);
  while (have < want) {
    std::vector<std::string> parts(workers);
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < workers; ++i) {
      const std::size_t begin = std::min(have + i * kChunk, want);
      const std::size_t end = std::min(begin + kChunk, want);
      threads.emplace_back([&, i, begin, end] { parts[i] = make_lines(world, begin, end); });
    }
    threads.clear();
    for (const std::string& part : parts) out << part;
    have = std::min(have + workers * kChunk, want);
  }
  if (!out.flush()) throw Failed("the corpus cannot be written");
}

void make_complete(const std::filesystem::path& file, std::size_t count) {
  std::filesystem::create_directories(file.parent_path());
  const Lines lines = count_lines(file);
  if (lines.count >= count) return;
  if (std::filesystem::exists(file)) std::filesystem::resize_file(file, lines.bytes);  // R2
  extend(file, lines.count, count);
}

}  // namespace

Corpus::Corpus(const std::filesystem::path& file, std::size_t count) {
  make_complete(file, count);
  bytes_ = std::filesystem::file_size(file);
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  void* mapped = ::mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, fd, 0);
  ::close(fd);
  if (mapped == MAP_FAILED) throw Failed("the corpus cannot be read");
  data_ = static_cast<const char*>(mapped);
  ends_.reserve(count);
  for (std::size_t at = 0; ends_.size() < count;) {
    const void* newline = std::memchr(data_ + at, '\n', bytes_ - at);
    CHECK(newline != nullptr);
    at = static_cast<std::size_t>(static_cast<const char*>(newline) - data_) + 1;
    ends_.push_back(at);
  }
}

Corpus::~Corpus() { ::munmap(const_cast<char*>(data_), bytes_); }

std::string_view Corpus::json(std::size_t index) const {
  const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
  return {data_ + begin, ends_[index] - begin - 1};
}

std::string_view Corpus::id_hex(std::size_t index) const {
  return json(index).substr(kBeforeId.size(), kHexIdChars);
}

nostr::EventId Corpus::id(std::size_t index) const {
  const std::optional<nostr::EventId> id = nostr::EventId::from_hex(id_hex(index));
  CHECK(id);
  return *id;
}

std::int64_t Corpus::created_at(std::size_t index) const {
  const std::string_view line = json(index);
  const char* digits = line.data() + line.find(kBeforeTime) + kBeforeTime.size();
  std::int64_t seconds = 0;
  std::from_chars(digits, line.data() + line.size(), seconds);
  return seconds;
}

void Corpus::write_prefix(std::size_t count, const std::filesystem::path& file) const {
  CHECK(count > 0 && count <= size());
  std::ofstream out(file, std::ios::binary);
  out.write(data_, static_cast<std::streamsize>(ends_[count - 1]));
  if (!out.flush()) throw Failed("a prefix of the corpus cannot be written");
}

}  // namespace graspd::load
