// The package's last days: an upgrade keeps the rights that install/ gives, and when it is removed nothing of it is left.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "provider/base/status.h"
#include "test/e2e/provider/installed_provider.h"
#include "test/support/cluster.h"

namespace kupen::test {
namespace {

constexpr char kConfig[] = "provider-kupenstack";

absl::Status CanReadNamespaces() {
  // `can-i` exits with 1 for a no.
  return Kubectl({"auth", "can-i", "list", "namespaces", "--as=system:serviceaccount:crossplane-system:provider-kupenstack"})
      .status();
}

// Waits until the pod that runs is the one that acts.
absl::Status AwaitLease(absl::Duration limit) {
  return Eventually(limit, []() -> absl::Status {
    ASSIGN_OR_RETURN(const std::string log, InstalledProvider().Log());
    return Contains(log, "holding the lease");
  });
}

void ExpectRights() {
  ASSERT_OK_AND_ASSIGN(const std::string account, InstalledProvider().ServiceAccount());
  EXPECT_EQ(account, "provider-kupenstack");
  EXPECT_TRUE(CanReadNamespaces().ok());
}

class Package : public testing::Test {
 protected:
  // Whatever happened: the next run begins without it.
  void TearDown() override {
    EXPECT_EQ(absl::OkStatus(), InstalledProvider::Uninstall());
    EXPECT_TRUE(Kubectl({"delete", "--ignore-not-found", absl::StrCat("--filename=", KUPEN_INSTALL)}).ok());
  }
};

TEST_F(Package, UpgradeKeepsTheRightsOfInstallAndUninstallLeavesNothing) {
  ASSERT_OK(Kubectl({"apply", "--server-side", absl::StrCat("--filename=", KUPEN_INSTALL)}).status());
  ASSERT_OK_AND_ASSIGN(const std::string first, PushProvider("v0.1.0"));
  ASSERT_OK_AND_ASSIGN(const std::string second, PushProvider("v0.1.1"));
  ASSERT_NE(first, second);
  ASSERT_OK(InstalledProvider::Install(first, kConfig));
  ExpectRights();
  // Somebody's earlier lease may have to run out first.
  ASSERT_OK(AwaitLease(absl::Seconds(90)));

  ASSERT_OK(InstalledProvider::Install(second, kConfig));
  ExpectRights();
  // Much sooner than the old one's lease would have run out: it was given back.
  ASSERT_OK(AwaitLease(absl::Seconds(20)));
}

}  // namespace
}  // namespace kupen::test
