#include "gitio/pack_index.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <utility>

#include "core/check.h"
#include "core/file_descriptor.h"
#include "gitio/files.h"

namespace graspd::gitio {

namespace {

constexpr std::array<std::uint8_t, 8> kSignature{0xff, 't', 'O', 'c', 0, 0, 0, 2};
constexpr std::size_t kFanOut = 256 * 4;  // how many begin with at most this byte, for each byte
constexpr std::size_t kHeader = kSignature.size() + kFanOut;

std::size_t count_of(std::span<const std::uint8_t> file) {
  std::size_t count = 0;
  for (const std::uint8_t byte : file.subspan(kHeader - 4, 4)) count = count << 8 | byte;
  return count;
}

}  // namespace

core::Result<PackIndex, std::string> PackIndex::open(const std::filesystem::path& path) {
  const core::FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (!fd || ::fstat(fd.get(), &status) != 0) return failed("cannot open", path);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size < kHeader) return core::Failure{path.string() + " is too short"};
  void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (mapped == MAP_FAILED) return failed("cannot map", path);

  PackIndex index({static_cast<const std::uint8_t*>(mapped), size});
  if (!std::equal(kSignature.begin(), kSignature.end(), index.file_.begin())) {
    return core::Failure{path.string() + " is of an unknown version"};
  }
  const std::size_t count = count_of(index.file_);
  if ((size - kHeader) / git::Oid::kSize < count) {
    return core::Failure{path.string() + " is cut off"};
  }
  index.oids_ = index.file_.subspan(kHeader, count * git::Oid::kSize);
  return index;
}

PackIndex::PackIndex(PackIndex&& other) noexcept
    : file_(std::exchange(other.file_, {})), oids_(std::exchange(other.oids_, {})) {}

PackIndex& PackIndex::operator=(PackIndex&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(oids_, other.oids_);
  return *this;
}

PackIndex::~PackIndex() {
  if (!file_.empty()) ::munmap(const_cast<std::uint8_t*>(file_.data()), file_.size());
}

git::Oid PackIndex::operator[](std::size_t position) const {
  CHECK(position < size());
  return git::Oid::from_span(oids_.subspan(position * git::Oid::kSize).first<git::Oid::kSize>());
}

}  // namespace graspd::gitio
