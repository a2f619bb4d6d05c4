#include "provider/kinds/image/checksum.h"

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace kupen::kinds {

absl::StatusOr<Checksum> Checksum::Create(const std::string& algorithm) {
  const EVP_MD* digest = algorithm == "sha256" ? EVP_sha256() : algorithm == "sha512" ? EVP_sha512() : nullptr;
  if (digest == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("source.checksum.algorithm: \"", algorithm, "\" is neither sha256 nor sha512"));
  }
  Checksum checksum;
  checksum.context_.reset(EVP_MD_CTX_new());
  EVP_DigestInit_ex(checksum.context_.get(), digest, nullptr);
  return checksum;
}

void Checksum::Add(absl::string_view piece) { EVP_DigestUpdate(context_.get(), piece.data(), piece.size()); }

std::string Checksum::Finish() {
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(digest.data()), &size);
  digest.resize(size);
  return absl::BytesToHexString(digest);
}

}  // namespace kupen::kinds
