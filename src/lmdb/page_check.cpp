#include "lmdb/page_check.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "lmdb/page_format.h"

namespace graspd::lmdb {
namespace {

using core::Done;
using core::Failure;
using Checked = core::Result<Done, std::string>;

// Deeper than any tree of 2^48 pages with two branches each.
constexpr unsigned kDepthMax = 48;
// The list of tables, a table, the values of one key.
constexpr unsigned kNestingMax = 3;

class PageFile {
 public:
  explicit PageFile(const std::string& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat found{};
    if (descriptor_ < 0 || ::fstat(descriptor_, &found) != 0) error_ = std::strerror(errno);
    if (error_.empty()) size_ = static_cast<std::uint64_t>(found.st_size);
  }
  PageFile(const PageFile&) = delete;
  PageFile& operator=(const PageFile&) = delete;
  ~PageFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  const std::string& error() const { return error_; }
  std::uint64_t size() const { return size_; }
  bool read(std::uint64_t at, std::span<std::uint8_t> into) const {
    return ::pread(descriptor_, into.data(), into.size(), static_cast<off_t>(at)) ==
           static_cast<ssize_t>(into.size());
  }

 private:
  int descriptor_;
  std::uint64_t size_ = 0;
  std::string error_;
};

core::Result<page::Meta, std::string> read_meta(const PageFile& file, std::uint64_t at) {
  std::array<std::uint8_t, page::kHeaderBytes + sizeof(page::Meta)> bytes{};
  if (!file.read(at, bytes)) {
    return Failure{file.size() == 0 ? std::string("it is empty")
                                    : fmt::format("it is cut off after {} bytes", file.size())};
  }
  const auto header = page::read<page::Header>(bytes);
  const auto meta = page::read<page::Meta>(bytes, page::kHeaderBytes);
  if (header.type() != page::kMeta || meta.magic != page::kMagic)
    return Failure{std::string("it does not begin as a database does")};
  if (meta.version != page::kDataVersion)
    return Failure{fmt::format("it has version {} of LMDB's format", meta.version)};
  const std::size_t size = meta.free.pad;
  if (size < page::kSizeMin || size > page::kSizeMax || (size & (size - 1)) != 0)
    return Failure{fmt::format("it claims to have pages of {} bytes", size)};
  return meta;
}

core::Result<std::array<page::Meta, 2>, std::string> read_metas(const PageFile& file) {
  if (!file.error().empty()) return Failure{fmt::format("it cannot be read: {}", file.error())};
  const auto first = read_meta(file, 0);
  if (!first) return Failure{first.error()};
  const auto second = read_meta(file, first->free.pad);
  if (!second) return Failure{second.error()};
  return std::array{*first, *second};
}

class PageWalk {
 public:
  PageWalk(const PageFile& file, const page::Meta& meta, PageDepth depth)
      : file_(file), meta_(meta), page_bytes_(meta.free.pad), pages_(file.size() / page_bytes_) {
    const bool end_is_missing = pages_ <= meta.last;
    only_tops_ = depth == PageDepth::Tops && !end_is_missing;
    seen_.resize(pages_);
  }

  Checked run() {
    if (auto good = tree(meta_.free, false); !good) return good;
    return tree(meta_.main, true);
  }

 private:
  using Buffer = std::vector<std::uint8_t>;

  static Failure<std::string> bad(std::uint64_t number, std::string_view what) {
    return {fmt::format("page {} {}", number, what)};
  }

  Checked claim(std::uint64_t first, std::uint64_t count) {
    if (first < 2 || first > meta_.last || count > meta_.last - first + 1)
      return bad(first, "is named, but lies outside of the database");
    for (std::uint64_t number = first; number < first + count; ++number) {
      if (number >= pages_) return bad(number, "is missing: the file is cut off");
      if (seen_[number]) return bad(number, "is used twice");
      seen_[number] = true;
    }
    return Done{};
  }

  core::Result<page::Header, std::string> header_of(std::uint64_t number, Bytes bytes) {
    const auto header = page::read<page::Header>(bytes);
    if (header.number != number) return bad(number, "holds something else");
    return header;
  }

  // `lists_tables`: the tree whose leaves name the others.
  Checked tree(const page::Tree& tree, bool lists_tables) {
    if (tree.root == page::kNoPage) return Done{};
    if (tree.depth == 0 || tree.depth > kDepthMax || nesting_ == kNestingMax)
      return bad(tree.root, "begins no tree");
    ++nesting_;
    auto good = visit(tree.root, tree.depth, lists_tables);
    --nesting_;
    return good;
  }

  Checked visit(std::uint64_t number, unsigned levels, bool lists_tables) {
    if (auto claimed = claim(number, 1); !claimed) return claimed;
    Buffer bytes(page_bytes_);
    if (!file_.read(number * page_bytes_, bytes)) return bad(number, "cannot be read");
    const auto header = header_of(number, bytes);
    if (!header) return Failure{header.error()};
    const bool is_branch = levels > 1;
    if (((header->type() & page::kBranch) != 0) != is_branch)
      return bad(number, "is of another type than its place wants");
    if (is_branch) return branch(*header, bytes, levels, lists_tables);
    return leaf(*header, bytes, lists_tables);
  }

  Checked branch(const page::Header& header, Bytes bytes, unsigned levels, bool lists_tables) {
    return for_each_node(header, bytes, [&](const page::Node& node, Bytes) -> Checked {
      if (only_tops_ && !lists_tables) return Done{};
      return visit(node.child(), levels - 1, lists_tables);
    });
  }

  // A page, or one inside a node.
  Checked leaf(const page::Header& header, Bytes bytes, bool lists_tables) {
    if ((header.type() & ~(page::kFixedLeaf | page::kInline)) != page::kLeaf)
      return bad(header.number, "is of another type than its place wants");
    if ((header.type() & page::kFixedLeaf) != 0) return fixed_leaf(header, bytes);
    return for_each_node(header, bytes, [&](const page::Node& node, Bytes data) {
      return value(header, node, data, lists_tables);
    });
  }

  static Checked fixed_leaf(const page::Header& header, Bytes bytes) {
    const std::size_t keys = count_of(header);
    if (header.lower < page::kHeaderBytes ||
        keys * header.key_bytes > bytes.size() - page::kHeaderBytes)
      return bad(header.number, "holds more than fits into it");
    return Done{};
  }

  Checked value(const page::Header& header, const page::Node& node, Bytes data, bool lists_tables) {
    if ((node.flags & page::kBigData) != 0) return overflow(page::read<std::uint64_t>(data), node);
    if ((node.flags & page::kSubtree) != 0) {
      if (data.size() != sizeof(page::Tree)) return bad(header.number, "holds a broken table");
      if (only_tops_ && !lists_tables) return Done{};
      return tree(page::read<page::Tree>(data), false);
    }
    if ((node.flags & page::kDuplicates) == 0) return Done{};
    if (data.size() < page::kHeaderBytes) return bad(header.number, "holds a broken list");
    auto inner = page::read<page::Header>(data);
    inner.number = header.number;
    if ((inner.type() & page::kInline) == 0) return bad(header.number, "holds a broken list");
    return leaf(inner, data, false);
  }

  Checked overflow(std::uint64_t number, const page::Node& node) {
    const std::uint64_t bytes = page::kHeaderBytes + std::uint64_t{node.data_bytes()};
    const std::uint64_t count = (bytes + page_bytes_ - 1) / page_bytes_;
    if (only_tops_) return Done{};
    if (auto claimed = claim(number, count); !claimed) return claimed;
    std::array<std::uint8_t, page::kHeaderBytes> head{};
    if (!file_.read(number * page_bytes_, head)) return bad(number, "cannot be read");
    const auto header = header_of(number, head);
    if (!header) return Failure{header.error()};
    if (header->type() != page::kOverflow || header->run() < count)
      return bad(number, "does not hold the large value it should");
    return Done{};
  }

  static std::size_t count_of(const page::Header& header) {
    return (header.lower - page::kHeaderBytes) / sizeof(std::uint16_t);
  }

  // `visit(node, data)`; what a node of a branch has as data is empty.
  template <class Visit>
  static Checked for_each_node(const page::Header& header, Bytes bytes, const Visit& visit) {
    if (header.lower < page::kHeaderBytes || header.lower > header.upper ||
        header.upper > bytes.size())
      return bad(header.number, "is full of nonsense");
    const bool is_branch = (header.type() & page::kBranch) != 0;
    for (std::size_t i = 0; i < count_of(header); ++i) {
      const std::size_t at =
          page::read<std::uint16_t>(bytes, page::kHeaderBytes + i * sizeof(std::uint16_t));
      if (at < header.upper || at + page::kNodeHeaderBytes > bytes.size())
        return bad(header.number, "has a node outside of it");
      const auto node = page::read<page::Node>(bytes, at);
      const std::size_t begin = at + page::kNodeHeaderBytes + node.key_bytes;
      std::size_t length = is_branch ? 0 : node.data_bytes();
      if (!is_branch && (node.flags & page::kBigData) != 0) length = sizeof(std::uint64_t);
      if (begin > bytes.size() || length > bytes.size() - begin)
        return bad(header.number, "has a node that does not fit into it");
      if (auto good = visit(node, bytes.subspan(begin, length)); !good) return good;
    }
    return Done{};
  }

  const PageFile& file_;
  const page::Meta& meta_;
  std::size_t page_bytes_;
  std::uint64_t pages_;  // in the file
  bool only_tops_;
  unsigned nesting_ = 0;
  std::vector<bool> seen_;
};

}  // namespace

Checked check_beginning(const std::string& file) {
  const auto metas = read_metas(PageFile(file));
  if (!metas) return Failure{metas.error()};
  return Done{};
}

Checked check_pages(const std::string& path, std::uint64_t id, PageDepth depth) {
  const PageFile file(path);
  const auto metas = read_metas(file);
  if (!metas) return Failure{metas.error()};
  for (const page::Meta& meta : *metas)
    if (meta.transaction == id) return PageWalk(file, meta, depth).run();
  return Done{};  // a server writes meanwhile, and faster than this can look
}

std::string damaged(const std::string& file, std::string_view what) {
  return fmt::format(
      "{} is damaged: {}; put a backup in its place, or move it away to begin with an empty one",
      file, what);
}

}  // namespace graspd::lmdb
