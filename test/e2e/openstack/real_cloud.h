// The real OpenStack of the test cluster, through our own session.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "provider/openstack/cloud.h"
#include "provider/openstack/rest.h"
#include "provider/openstack/session.h"
#include "rapidjson/document.h"

namespace kupen::test {

// From the cluster's clouds.yaml: "demo", a member of a project, or "admin".
openstack::Cloud RealCloud(absl::string_view name);

// A name that no other run of a test uses.
std::string ScratchName(absl::string_view prefix);

rapidjson::Document Json(absl::string_view text);

// Transports over the network that count the logins through them.
struct CountedTransports {
  std::shared_ptr<std::atomic<int>> logins = std::make_shared<std::atomic<int>>(0);

  openstack::Transports transports() const;
};

class RealOpenStack : public testing::Test {
 protected:
  RealOpenStack();

  // Deletes these objects when the test ends, the last first.
  void CleanUp(openstack::Session& session, absl::string_view service, std::string path);
  ~RealOpenStack() override;

  openstack::Session demo_;
  openstack::Session admin_;

 private:
  struct Leftover {
    openstack::Session* session;
    std::string service;
    std::string path;
  };
  std::vector<Leftover> leftovers_;
};

}  // namespace kupen::test
