// The line between the provider and the API server, for tests that cut it or make it slow.
//
//   Line line;
//   ASSERT_OK(line.status());
//   lab.environment()["KUBECONFIG"] = line.kubeconfig();
//   line.Cut();  …  line.Mend();
//
// What passes is TLS, and stays so: the line knows bytes, not requests.
//
// Thread safety: all methods may be called from any thread at once.
#pragma once

#include <condition_variable>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace kupen::test {

class Line {
 public:
  // To the API server of $KUBECONFIG.
  Line();
  ~Line();
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  const absl::Status& status() const { return status_; }
  // The same as $KUBECONFIG, but by this line.
  const std::string& kubeconfig() const { return kubeconfig_; }

  // Ends all connections, and each new one, until Mend().
  void Cut();
  // From now on each connection ends after it has carried between a quarter and the whole of so many bytes.
  void SetLife(int bytes);
  // Everything comes later by so much.
  void SetDelay(absl::Duration delay);
  // As it was at first.
  void Mend();

  // How many connections came to the end of their lives.
  int ended() const;

 private:
  struct Connection {
    // Of the life that all have.
    double share = 1;
    int carried = 0;
  };

  absl::Status Listen();
  void Accept();
  // Carries bytes both ways until one side, or the line, ends it.
  void Carry(int near_side, int far_side);
  // Whether the piece may pass, after the delay.
  bool Passes(int bytes, Connection& connection);
  Connection NewConnection();

  std::string host_;
  int port_ = 0;
  std::string kubeconfig_;
  int listener_ = -1;

  mutable std::mutex mutex_;
  std::condition_variable stopped_;
  std::mt19937 random_{1};
  bool is_stopping_ = false;
  bool is_cut_ = false;
  int life_ = 0;
  absl::Duration delay_ = absl::ZeroDuration();
  int ended_ = 0;
  // Both ends of each connection; closed when the line ends.
  std::vector<int> sockets_;
  std::vector<std::thread> carriers_;
  std::thread acceptor_;
  absl::Status status_;
};

}  // namespace kupen::test
