// For tests: an authority that signs certificates, and the server's side of TLS.
#pragma once
#include <memory>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdexcept>
#include <string>
#include <utility>

namespace graspd::net {

struct FreeOpenSsl {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* session) const { SSL_free(session); }
};
template <class T>
using OpenSslPtr = std::unique_ptr<T, FreeOpenSsl>;

struct Certificate {
  OpenSslPtr<EVP_PKEY> key;
  OpenSslPtr<X509> x509;
};

struct CertificateWish {
  std::string names;  // "DNS:relay.example,IP:127.0.0.1"; empty for an authority
  long valid_from = -3600, valid_to = 3600;  // seconds from now
};

inline void add_extension(X509* certificate, X509* issuer, int id, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str());
  if (!extension) throw std::runtime_error("no extension: " + value);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

// Signed by `issuer`, or by itself.
inline Certificate make_certificate(const CertificateWish& wish, const Certificate* issuer) {
  static long serial = 1;
  Certificate made{OpenSslPtr<EVP_PKEY>(EVP_EC_gen("P-256")), OpenSslPtr<X509>(X509_new())};
  X509* x509 = made.x509.get();
  X509_set_version(x509, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(x509), serial++);
  X509_gmtime_adj(X509_getm_notBefore(x509), wish.valid_from);
  X509_gmtime_adj(X509_getm_notAfter(x509), wish.valid_to);
  X509_set_pubkey(x509, made.key.get());
  const std::string name = issuer ? "a host" : "a test authority";
  X509_NAME_add_entry_by_txt(X509_get_subject_name(x509), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509* signer = issuer ? issuer->x509.get() : x509;
  X509_set_issuer_name(x509, X509_get_subject_name(signer));
  add_extension(x509, signer, NID_basic_constraints, issuer ? "CA:FALSE" : "critical,CA:TRUE");
  if (!wish.names.empty()) add_extension(x509, signer, NID_subject_alt_name, wish.names);
  X509_sign(x509, issuer ? issuer->key.get() : made.key.get(), EVP_sha256());
  return made;
}

inline void write_pem(const std::string& path, const Certificate& certificate) {
  FILE* file = std::fopen(path.c_str(), "w");
  if (!file) throw std::runtime_error("cannot write " + path);
  PEM_write_X509(file, certificate.x509.get());
  std::fclose(file);
}

inline OpenSslPtr<SSL_CTX> server_context(const Certificate& certificate) {
  OpenSslPtr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()));
  SSL_CTX_use_certificate(context.get(), certificate.x509.get());
  SSL_CTX_use_PrivateKey(context.get(), certificate.key.get());
  return context;
}

}  // namespace graspd::net
