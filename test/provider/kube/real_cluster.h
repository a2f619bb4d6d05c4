// What the tests of provider/kube on the real API server share.
#pragma once

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "provider/http/client.h"
#include "provider/kube/client.h"
#include "provider/kube/config.h"
#include "provider/kube/resource.h"
#include "test/support/cluster.h"

namespace kupen::kube {

// Connected as the administrator, with a namespace of its own.
class RealClusterTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(config_, LoadConfig(""));
    ASSERT_OK_AND_ASSIGN(transport_, Connect(config_));
    client_ = std::make_unique<Client>(*transport_, "kube-test");
  }

  const std::string& ns() const { return namespace_.name(); }

  // A ConfigMap as JSON.
  static std::string ConfigMap(const std::string& name, const std::string& value) {
    return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name + R"("},"data":{"value":")" + value +
           R"("}})";
  }

  const Resource config_maps_{.version = "v1", .plural = "configmaps"};
  Config config_;
  std::unique_ptr<http::Client> transport_;
  std::unique_ptr<Client> client_;

 private:
  const test::ScratchNamespace namespace_{"kube"};
};

}  // namespace kupen::kube
