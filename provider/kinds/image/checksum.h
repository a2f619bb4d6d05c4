// A checksum of data that passes by.
#pragma once

#include <openssl/evp.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kupen::kinds {

class Checksum {
 public:
  // "sha256" or "sha512".
  static absl::StatusOr<Checksum> Create(const std::string& algorithm);

  void Add(absl::string_view piece);
  // Of all that was added, in hexadecimal digits. Ends it.
  std::string Finish();

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };

  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

}  // namespace kupen::kinds
