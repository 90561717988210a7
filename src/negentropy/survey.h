// What a message leaves open between its sender and our items: read once before it is answered, so
// that the answer fits what is known of the whole.
//
//   R1  Every range is checked here; who has surveyed a message can read it without failure.
//   R2  A range of few items on our side is a sample: the share of samples that differ tells how
//       different the sides are there.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "negentropy/bad_message.h"
#include "negentropy/item_set.h"
#include "negentropy/reply.h"

namespace graspd::negentropy {

struct Survey {
  std::vector<bool> open;      // by range of the message: neither skipped nor equal
  std::size_t items_open = 0;  // ours, in ranges whose fingerprints differ
  std::size_t samples = 0;
  std::size_t samples_open = 0;
};

// `message` after its version byte.
core::Result<Survey, BadMessage> survey(const ItemSet& items, std::string_view message);

// How to answer so that rounds and bytes are few: an id that the responder lists costs the
// initiator nothing more, while an id that the initiator lists makes the responder list all of its
// own too.
Split responder_split(const Survey& survey, std::size_t frame_max);
Split initiator_split();

}  // namespace graspd::negentropy
