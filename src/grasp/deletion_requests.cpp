#include "grasp/deletion_requests.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "nostr/json.h"

namespace graspd::grasp {
namespace {

std::string request_key(const nostr::EventId& id) {
  return std::string(DeletionRequests::kNotePrefix) + id.hex();
}

std::string request_text(const DeletionRequests::Term& term, std::string_view json) {
  const int how = term.to_vanish ? 2 : term.served ? 1 : 0;
  return fmt::format("{} {} {}\n{}\n{}", term.came, term.used, how, term.author.hex(), json);
}

// The first line with its three numbers, the author, and what is left.
struct RequestNote {
  DeletionRequests::Term term;
  std::string_view json;
};

bool read_number(std::string_view& text, core::UnixSeconds& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.empty()) text.remove_prefix(1);
  return true;
}

std::optional<RequestNote> parse_request_note(std::string_view text) {
  RequestNote note;
  core::UnixSeconds served = 0;
  if (!read_number(text, note.term.came) || !read_number(text, note.term.used) ||
      !read_number(text, served))
    return std::nullopt;
  const auto line = text.find('\n');
  const auto author = nostr::PublicKey::from_hex(text.substr(0, line));
  if (!author || line == text.npos) return std::nullopt;
  note.term.served = served != 0;
  note.term.to_vanish = served == 2;
  note.term.author = *author;
  note.json = text.substr(line + 1);
  return note;
}

}  // namespace

core::UnixSeconds DeletionRequests::due(const Term& term) const {
  const bool is_last = !term.served || term.to_vanish;  // R6
  if (term.used > 0)
    return term.used + retention_.used_served + (is_last ? retention_.used_remembered : 0);
  return term.came + retention_.unused_served + (is_last ? retention_.unused_remembered : 0);
}

void DeletionRequests::put(const nostr::EventId& id, const Term& term) {
  drop(id);
  terms_.insert_or_assign(id, term);
  by_due_.insert({due(term), id});
  if (!term.served) unserved_[term.author].insert(id);
}

void DeletionRequests::drop(nostr::EventId id) {
  const Term* known = terms_.find(id);
  if (!known) return;
  const Term term = *known;
  by_due_.erase(std::pair(due(term), id));
  terms_.erase(id);
  if (term.served) return;
  auto& of_author = unserved_[term.author];
  of_author.erase(id);
  if (of_author.empty()) unserved_.erase(term.author);
}

std::vector<nostr::EventId> DeletionRequests::unserved_of(const nostr::PublicKey& author) const {
  const auto* ids = unserved_.find(author);
  if (!ids) return {};
  return {ids->begin(), ids->end()};
}

void DeletionRequests::add(const nostr::Event& request, core::UnixSeconds now,
                           Transition& changes) {
  if (terms_.contains(request.id)) return;
  const Term term{
      .came = now, .to_vanish = request.kind == nostr::kinds::kVanish, .author = request.pubkey};
  put(request.id, term);
  changes.put_note({request_key(request.id), request_text(term, {})});
}

void DeletionRequests::erase(const nostr::EventId& id, Transition& changes) {
  if (!terms_.contains(id)) return;
  drop(id);
  changes.put_note({request_key(id), std::nullopt});
}

void DeletionRequests::used(const nostr::EventId& id, const store::Snapshot& here,
                            core::UnixSeconds now, Transition& changes) {
  const Term* known = terms_.find(id);
  if (!known || (known->served && known->used > 0 && now < known->used + kUseGranularity)) return;
  Term term = *known;
  term.used = now;
  if (!term.served) {
    auto request = unserved(id, here);
    if (!request) return;
    changes.add(store::Restore{std::move(request)});
    term.served = true;
  }
  put(id, term);
  changes.put_note({request_key(id), request_text(term, {})});
}

void DeletionRequests::sweep(const store::Snapshot& here, core::UnixSeconds now,
                             Transition& changes) {
  std::vector<nostr::EventId> over;
  for (auto at = by_due_.begin(); at != by_due_.end() && at->first <= now; ++at)
    over.push_back(at->second);
  for (const nostr::EventId& id : over) {
    const Term& term = terms_.at(id);
    const bool is_over = !term.served || term.to_vanish;
    is_over ? forget(id, here, changes) : end_service(id, here, changes);
  }
}

void DeletionRequests::end_service(const nostr::EventId& id, const store::Snapshot& here,
                                   Transition& changes) {
  const auto json = here.find_json(id);
  if (!json) return erase(id, changes);  // its author has vanished
  Term term = terms_.at(id);
  term.served = false;
  put(id, term);
  changes.add(store::Remove{id});
  changes.put_note({request_key(id), request_text(term, *json)});
}

// The store forgets with a request what it kept out: so it comes, and goes, in one transaction.
void DeletionRequests::forget(const nostr::EventId& id, const store::Snapshot& here,
                              Transition& changes) {
  if (auto request = unserved(id, here)) changes.add(store::Restore{std::move(request)});
  changes.add(store::Revoke{id});
  erase(id, changes);
}

nostr::WireEventPtr DeletionRequests::unserved(const nostr::EventId& id,
                                               const store::Snapshot& here) {
  nostr::WireEventPtr found;
  const auto read = [&](std::string_view, std::string_view value) {
    const auto note = parse_request_note(value);
    if (!note) return;
    if (auto event = nostr::JsonReader().event(note->json))
      found = std::make_shared<nostr::WireEvent>(
          nostr::WireEvent{*std::move(event), std::string(note->json)});
  };
  static_cast<void>(here.notes(request_key(id), read));
  return found;
}

bool DeletionRequests::restore(std::string_view key, std::string_view value) {
  const auto id = nostr::EventId::from_hex(key.substr(kNotePrefix.size()));
  const auto note = parse_request_note(value);
  if (id && note) put(*id, note->term);
  return id && note;
}

void DeletionRequests::forget_note(std::string_view key) {
  if (const auto id = nostr::EventId::from_hex(key.substr(kNotePrefix.size()))) drop(*id);
}

std::vector<store::Note> DeletionRequests::notes() const {
  std::vector<store::Note> all;
  for (const auto& [id, term] : terms_) all.push_back({request_key(id), request_text(term, {})});
  return all;
}

}  // namespace graspd::grasp
