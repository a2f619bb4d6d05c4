// A tenant's clouds.yaml: as a whole, and with a secret in it.
#include <array>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "provider/http/url.h"
#include "provider/openstack/clouds_yaml.h"
#include "provider/openstack/token.h"
#include "test/fuzz/fuzz.h"

namespace kupen::fuzz {
namespace {

using openstack::Cloud;

constexpr std::array<absl::string_view, 3> kSecretKeys = {"password", "token", "application_credential_secret"};

void CheckCloud(const Cloud& cloud) {
  Check(http::ParseUrl(cloud.auth_url).ok(), "a cloud whose auth_url is none is accepted", cloud.auth_url);
  Check(absl::EndsWith(cloud.auth_url, "/v3"), "an auth_url that is not Identity v3", cloud.auth_url);
  Check(!cloud.credentials.secret.empty(), "a cloud without a secret is accepted");
  Check(cloud.interface == "public" || cloud.interface == "internal" || cloud.interface == "admin", "an unknown interface",
        cloud.interface);
  Check(!openstack::TokenRequestBody(cloud.credentials, cloud.scope).empty(), "no way to log in");
}

void CheckWhole(absl::string_view text) {
  const absl::StatusOr<Cloud> cloud = openstack::ParseCloudsYaml(text);
  if (!cloud.ok()) return CheckMessage(cloud.status());
  CheckCloud(*cloud);
  Check(openstack::ParseCloudsYaml(text, cloud->name).ok(), "a cloud is not found by its own name", cloud->name);
}

void CheckSecret(absl::string_view key, absl::string_view value) {
  CheckMessage(openstack::ParseCloudsYaml(
                   absl::StrCat("clouds:\n  a:\n    auth:\n      auth_url: http://keystone\n      username: u\n      ", key,
                                ": ", value, "\n"))
                   .status());
}

// Those that begin like a key which holds a secret are around one.
void CheckInput(absl::string_view text) {
  const uint8_t choice = TakeByte(text);
  for (const absl::string_view key : kSecretKeys) {
    if (choice == key.front()) return CheckSecret(key, AroundSecret(text));
  }
  CheckWhole(text);
}

}  // namespace
}  // namespace kupen::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text = kupen::fuzz::Text(data, size);
  // Elsewhere than where a user has secrets, it may be shown.
  if (absl::StrContains(text, kupen::fuzz::kSecret)) return 0;
  kupen::fuzz::CheckInput(text);
  return 0;
}
