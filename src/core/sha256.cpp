#include "core/sha256.h"

#include <memory>
#include <openssl/evp.h>

#include "core/check.h"

namespace graspd::core {
namespace {

// Looking an algorithm up by name costs more than hashing an event; it is done once.
const EVP_MD* algorithm() {
  static const EVP_MD* const fetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  CHECK(fetched != nullptr);
  return fetched;
}

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

EVP_MD_CTX* begin() {
  static thread_local const std::unique_ptr<EVP_MD_CTX, FreeContext> context(EVP_MD_CTX_new());
  CHECK(context && EVP_DigestInit_ex2(context.get(), algorithm(), nullptr) == 1);
  return context.get();
}

void add(EVP_MD_CTX* context, const void* bytes, std::size_t size) {
  CHECK(EVP_DigestUpdate(context, bytes, size) == 1);
}

Sha256 finish(EVP_MD_CTX* context) {
  Sha256 digest;
  unsigned size = 0;
  CHECK(EVP_DigestFinal_ex(context, digest.data(), &size) == 1 && size == digest.size());
  return digest;
}

}  // namespace

Sha256 sha256(std::span<const std::uint8_t> bytes) {
  EVP_MD_CTX* context = begin();
  add(context, bytes.data(), bytes.size());
  return finish(context);
}

Sha256 sha256(std::string_view text) { return sha256({text}); }

Sha256 sha256(std::initializer_list<std::string_view> parts) {
  EVP_MD_CTX* context = begin();
  for (const std::string_view part : parts) add(context, part.data(), part.size());
  return finish(context);
}

}  // namespace graspd::core
