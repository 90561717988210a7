#include "nostr/serialize.h"

#include <charconv>

#include "core/sha256.h"
#include "nostr/scan.h"

namespace graspd::nostr {
namespace {

// What happens to control characters that NIP-01 gives no escape for.
enum class Rare { Escaped, Verbatim };

std::size_t plain_prefix(std::string_view text) {
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    const std::uint64_t word = scan::load(text.data() + at);
    const std::uint64_t marks =
        scan::mark_below(word, 0x20) | scan::mark_equal(word, '"') | scan::mark_equal(word, '\\');
    if (marks != 0) return at + scan::first(marks);
  }
  for (; at < text.size(); ++at) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (c < 0x20 || c == '"' || c == '\\') break;
  }
  return at;
}

// The letter behind the backslash for the seven of NIP-01, 0 for the others.
char short_escape(char c) {
  switch (c) {
    case '\n':
      return 'n';
    case '"':
      return '"';
    case '\\':
      return '\\';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    default:
      return 0;
  }
}

void append_rare(std::string& out, char c, Rare rare) {
  if (rare == Rare::Verbatim) {
    out += c;
    return;
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += "\\u00";
  out += kDigits[static_cast<unsigned char>(c) >> 4];
  out += kDigits[c & 15];
}

// Writes JSON text and remembers whether R1 and R3 differ for it.
class Writer {
 public:
  Writer(std::string& out, Rare rare) : out_(out), rare_(rare) {}

  void raw(std::string_view text) { out_ += text; }
  void number(std::int64_t value) {
    char digits[20];
    out_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
  void hex(std::span<const std::uint8_t> bytes) { core::append_hex(out_, bytes); }

  void string(std::string_view text) {
    out_ += '"';
    for (;;) {
      const std::size_t plain = plain_prefix(text);
      out_.append(text.data(), plain);
      if (plain == text.size()) break;
      escape(text[plain]);
      text.remove_prefix(plain + 1);
    }
    out_ += '"';
  }

  void tags(const Tags& rows) {
    out_ += '[';
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i > 0) out_ += ',';
      row(rows[i]);
    }
    out_ += ']';
  }

  bool met_rare() const { return met_rare_; }

 private:
  void row(const Tag& tag) {
    out_ += '[';
    for (std::size_t i = 0; i < tag.size(); ++i) {
      if (i > 0) out_ += ',';
      string(tag[i]);
    }
    out_ += ']';
  }
  void escape(char c) {
    if (const char letter = short_escape(c)) {
      out_ += '\\';
      out_ += letter;
    } else {
      met_rare_ = true;
      append_rare(out_, c, rare_);
    }
  }

  std::string& out_;
  const Rare rare_;
  bool met_rare_ = false;
};

// Enough for an event that needs few escapes, so that its text is allocated once.
std::size_t probable_size(const Event& event) {
  constexpr std::size_t kNamesHexAndNumbers = 380;
  return kNamesHexAndNumbers + event.tags.text_bytes() + 3 * event.tags.item_count() +
         3 * event.tags.size() + event.content.size() + event.content.size() / 16;
}

// `[0,pubkey,created_at,kind,`
void append_canonical_head(Writer& writer, const Event& event) {
  writer.raw("[0,\"");
  writer.hex(event.pubkey.bytes());
  writer.raw("\",");
  writer.number(event.created_at);
  writer.raw(",");
  writer.number(event.kind.value);
  writer.raw(",");
}

struct Hashed {
  EventId id;
  bool forms_differ = false;  // R1 and R3
};

Hashed hash_canonical(const Event& event, Rare rare) {
  std::string text;
  text.reserve(probable_size(event));
  Writer writer(text, rare);
  append_canonical_head(writer, event);
  writer.tags(event.tags);
  writer.raw(",");
  writer.string(event.content);
  writer.raw("]");
  return {EventId(core::sha256(text)), writer.met_rare()};
}

// Where tags and content stand in a wire form.
struct Layout {
  std::size_t tags_begin = 0, tags_end = 0, content_begin = 0, content_end = 0;
  bool forms_differ = false;
};

Layout append_wire(std::string& out, const Event& event) {
  out.reserve(out.size() + probable_size(event));
  Writer writer(out, Rare::Escaped);
  writer.raw("{\"id\":\"");
  writer.hex(event.id.bytes());
  writer.raw("\",\"pubkey\":\"");
  writer.hex(event.pubkey.bytes());
  writer.raw("\",\"created_at\":");
  writer.number(event.created_at);
  writer.raw(",\"kind\":");
  writer.number(event.kind.value);
  writer.raw(",\"tags\":");
  Layout layout;
  layout.tags_begin = out.size();
  writer.tags(event.tags);
  layout.tags_end = out.size();
  writer.raw(",\"content\":");
  layout.content_begin = out.size();
  writer.string(event.content);
  layout.content_end = out.size();
  writer.raw(",\"sig\":\"");
  writer.hex(event.sig.bytes());
  writer.raw("\"}");
  layout.forms_differ = writer.met_rare();
  return layout;
}

// The R3 id, from the parts of the wire form that it shares.
EventId hash_wire(const Event& event, std::string_view json, const Layout& layout) {
  std::string head;
  Writer writer(head, Rare::Escaped);
  append_canonical_head(writer, event);
  return EventId(core::sha256(
      {head, json.substr(layout.tags_begin, layout.tags_end - layout.tags_begin), ",",
       json.substr(layout.content_begin, layout.content_end - layout.content_begin), "]"}));
}

}  // namespace

std::string to_json(const Event& event) {
  std::string out;
  append_json(out, event);
  return out;
}

void append_json(std::string& out, const Event& event) { append_wire(out, event); }

void append_json_string(std::string& out, std::string_view text) {
  Writer(out, Rare::Escaped).string(text);
}

EventId compute_id(const Event& event) { return hash_canonical(event, Rare::Verbatim).id; }

bool id_is_right(const Event& event) {
  const Hashed hashed = hash_canonical(event, Rare::Verbatim);
  if (hashed.id == event.id) return true;
  return hashed.forms_differ && hash_canonical(event, Rare::Escaped).id == event.id;
}

std::optional<std::string> to_json_if_id_is_right(const Event& event) {
  std::string json;
  const Layout layout = append_wire(json, event);
  const bool right = hash_wire(event, json, layout) == event.id ||
                     (layout.forms_differ && compute_id(event) == event.id);
  if (!right) return std::nullopt;
  return json;
}

}  // namespace graspd::nostr
