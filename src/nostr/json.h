// Strict parsing of what strangers send. The only user of simdjson.
//
//   R1  Each text is parsed once; what comes out is typed and complete, or an error that says
//       what was wrong.
//   R2  Unknown members of an event are ignored; a missing, repeated or mistyped one is refused.
//   R3  Invalid UTF-8, lone surrogates, nesting deeper than an event needs, numbers that are not
//       integers, negative times, kinds above 65535, tags without a name and upper-case hex are
//       refused.
//   R4  Unknown members of a filter are refused ("unsupported"), `search` and tags of several
//       letters among them: answering a question that was not understood would be a lie.
//   R5  Filters take a few times the memory of their text and not more; of a message with more than
//       `filters_max` of them one more is read, so that it is refused for that, and no further.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "core/result.h"
#include "nostr/draft.h"
#include "nostr/message.h"
#include "nostr/relay_information.h"
#include "nostr/relay_message.h"

namespace graspd::nostr {

// Keeps its buffers between calls, those of unusually large texts excepted; one per thread or
// connection group. Not thread-safe.
class JsonReader {
 public:
  JsonReader();
  ~JsonReader();
  JsonReader(JsonReader&&) noexcept;
  JsonReader& operator=(JsonReader&&) noexcept;

  core::Result<ClientMessage, BadMessage> client_message(std::string_view text,
                                                         std::size_t filters_max = 0);  // 0: any
  core::Result<Event, std::string> event(std::string_view text);
  core::Result<Filter, std::string> filter(std::string_view text);
  // For those who are the relay's client, or write events by hand.
  core::Result<RelayMessage, std::string> relay_message(std::string_view text);
  core::Result<RelayInformation, std::string> relay_information(std::string_view text);
  core::Result<Draft, std::string> draft(std::string_view text);

  struct Buffers;  // in json_reading.h

 private:
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace graspd::nostr
