#include "provider/http/address_rules.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kupen::http {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

AddressRules Rules(const AddressRulesOptions& options = {}) {
  absl::StatusOr<AddressRules> rules = AddressRules::Create(options);
  EXPECT_TRUE(rules.ok()) << rules.status();
  return *std::move(rules);
}

bool Allowed(const AddressRules& rules, absl::string_view address) {
  const absl::Status status = rules.Check("host", address);
  EXPECT_TRUE(status.ok() || absl::IsPermissionDenied(status)) << status;
  return status.ok();
}

TEST(AddressRules, PlacesOfThisMachineAndItsLinkAreOutOfReach) {
  for (const char* address : {"127.0.0.1", "127.255.255.255", "0.0.0.0", "0.1.2.3", "169.254.169.254", "224.0.0.1", "239.1.1.1",
                              "255.255.255.255", "::", "::1", "fe80::1", "fe80::1%eth0", "febf::1", "ff02::1"}) {
    EXPECT_FALSE(Allowed(Rules(), address)) << address;
  }
  for (const char* address : {"126.255.255.255", "128.0.0.1", "169.253.255.255", "169.255.0.0", "223.255.255.255", "10.0.0.1",
                              "192.168.1.1", "2001:db8::1", "fec0::1", "fd00::1", "::2:0:0:1"}) {
    EXPECT_TRUE(Allowed(Rules(), address)) << address;
  }
}

TEST(AddressRules, NorInIPv6Clothes) {
  for (const char* address : {"::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:169.254.169.254", "::ffff:0.0.0.0", "::127.0.0.1",
                              "64:ff9b::169.254.169.254", "64:ff9b::7f00:1"}) {
    EXPECT_FALSE(Allowed(Rules(), address)) << address;
  }
  for (const char* address : {"::ffff:10.0.0.1", "64:ff9b::192.0.2.1"}) EXPECT_TRUE(Allowed(Rules(), address)) << address;
}

TEST(AddressRules, FlagsDenyAndAllow) {
  const AddressRules rules =
      Rules({.allowed = {"127.0.0.0/30", "10.96.0.10", "fe80::/16"}, .denied = {"10.96.0.0/12", "fd00::/8"}});
  for (const char* address : {"10.96.0.1", "10.111.255.255", "::ffff:10.100.0.1", "fd12::1", "127.0.0.4", "fe90::1"}) {
    EXPECT_FALSE(Allowed(rules, address)) << address;
  }
  for (const char* address : {"127.0.0.3", "10.96.0.10", "::ffff:127.0.0.1", "fe80:0:0::1", "10.95.255.255", "10.112.0.0"}) {
    EXPECT_TRUE(Allowed(rules, address)) << address;
  }
}

TEST(AddressRules, RefusalsSayWhatWhyAndTheWayOut) {
  const AddressRules rules = Rules({.denied = {"10.96.0.0/12"}});
  EXPECT_EQ(rules.Check("metadata.local", "169.254.169.254").message(),
            "the address 169.254.169.254 of host metadata.local is link-local: not to be reached by a user's URL, unless the "
            "provider runs with --allow-address=169.254.0.0/16");
  EXPECT_THAT(rules.Check("kubernetes", "10.96.0.1").message(),
              AllOf(HasSubstr("10.96.0.1 of host kubernetes is in 10.96.0.0/12, which is denied"),
                    HasSubstr("--allow-address=10.96.0.0/12")));
}

TEST(AddressRules, RangesAreChecked) {
  for (const char* range :
       {"", "10.0.0.0/33", "10.0.0.0/", "10.0.0/8", "fd00::/129", "fd00::/-1", "localhost", "10.0.0.0/8/9"}) {
    const absl::Status status = AddressRules::Create({.allowed = {range}}).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << range;
    EXPECT_THAT(status.message(), AllOf(HasSubstr("--allow-address"), HasSubstr("10.96.0.0/12"))) << range;
  }
  EXPECT_THAT(AddressRules::Create({.denied = {"x"}}).status().message(), HasSubstr("--deny-address"));
  EXPECT_TRUE(Allowed(Rules({.allowed = {"0.0.0.0/0"}}), "127.0.0.1"));
  EXPECT_FALSE(Allowed(Rules({.allowed = {"0.0.0.0/0"}}), "::1"));
}

TEST(AddressRules, OnlyGoodAddressesOfANameAreTried) {
  const AddressRules rules = Rules({.lookup = [](const std::string& host) -> absl::StatusOr<std::vector<std::string>> {
    if (host == "mixed") return std::vector<std::string>{"::1", "192.0.2.1", "169.254.169.254", "192.0.2.2"};
    if (host == "bad") return std::vector<std::string>{"::1", "127.0.0.1"};
    if (host == "empty") return std::vector<std::string>{};
    return absl::UnavailableError("no such name");
  }});
  const auto mixed = rules.Resolve("mixed");
  ASSERT_TRUE(mixed.ok());
  EXPECT_THAT(*mixed, ElementsAre("192.0.2.1", "192.0.2.2"));
  EXPECT_THAT(rules.Resolve("bad").status().message(), HasSubstr("the address ::1 of host bad is loopback"));
  EXPECT_TRUE(absl::IsUnavailable(rules.Resolve("empty").status()));
  EXPECT_EQ(rules.Resolve("other").status().message(), "no such name");
}

TEST(AddressRules, AllWaysToWriteAnAddressAreLookedUp) {
  // inet_aton's: one number, hexadecimal, parts left out.
  for (const char* host : {"2130706433", "0x7f000001", "127.1", "0177.0.0.1", "localhost"}) {
    EXPECT_TRUE(absl::IsPermissionDenied(Rules().Resolve(host).status())) << host << ": " << Rules().Resolve(host).status();
  }
  EXPECT_THAT(Rules().Resolve("host.invalid").status().message(), HasSubstr("can't be resolved"));
}

}  // namespace
}  // namespace kupen::http
