// Sends steps to one cloud, and keeps the answers.
//
//   Replay replay({.demo = …, .admin = …, .run = "4711", .pause = [] { absl::SleepFor(…); }});
//   const std::vector<Reply> replies = replay.Send(steps);
//   EXPECT_THAT(replay.CleanUp(), IsEmpty());
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "provider/http/transport.h"
#include "provider/http/url.h"
#include "provider/openstack/cloud.h"
#include "provider/openstack/session.h"
#include "provider/openstack/transports.h"
#include "test/conformance/compare.h"
#include "test/conformance/steps.h"

namespace kupen::conformance {

struct ReplayOptions {
  openstack::Cloud demo;
  openstack::Cloud admin;
  // What ${run} stands for.
  std::string run;
  // Called before a step is tried again.
  std::function<void()> pause;
};

class Replay {
 public:
  explicit Replay(ReplayOptions options);

  // One for each step, whatever became of those before.
  std::vector<Reply> Send(const std::vector<Step>& steps);

  // Deletes what the steps have created and not deleted, and tells what that was.
  std::vector<std::string> CleanUp();

 private:
  Reply Perform(const Step& step);
  Reply Try(const Step& step);
  absl::StatusOr<http::Response> Exchange(const Step& step);
  absl::StatusOr<http::Url> UrlOf(const Step& step);
  absl::StatusOr<Step> Filled(const Step& step);
  absl::StatusOr<std::string> Filled(absl::string_view text);
  absl::StatusOr<std::string> Variable(const std::string& name);
  absl::Status Keep(const Step& step, const Reply& reply);
  void NoteWhatIsThere(const Step& step, const Reply& reply);

  const ReplayOptions options_;
  const openstack::Transports transports_;
  openstack::Session demo_;
  openstack::Session admin_;
  std::map<std::string, std::shared_ptr<http::Transport>> connections_;
  std::map<std::string, std::string> variables_;
  // How to delete what was created, in its order.
  std::vector<Step> removals_;
};

}  // namespace kupen::conformance
