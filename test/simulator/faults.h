// What goes wrong, and when. A fault says which requests it is for and what happens to them; the first requests that fit get
// it, as often as it says.
//
//   plan.Add({.effect = Fault::Effect::kRefuse, .service = "network", .method = "POST", .path = "/networks", .times = 3,
//             .status = 429, .retry_after = 1});
//
// As JSON, for PUT /simulator/faults: {"faults": [{"effect": "refuse", "service": "network", "method": "POST",
// "path": "/networks", "times": 3, "status": 429, "retryAfter": 1}]}
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "rapidjson/document.h"

namespace kupen::simulator {

struct Fault {
  enum class Effect : uint8_t {
    kDelay,        // "delay": the answer comes later by `delay`
    kRefuse,       // "refuse": the answer is `status`, and nothing was done
    kRefuseAfter,  // "refuse-after": it was done, but the answer is `status`, as of a gateway that lost patience
    kDrop,         // "drop": the connection ends without an answer, and nothing was done
    kDropAfter,    // "drop-after": it was done, and the connection ends without an answer
    kStuck,        // "stuck": what the request begins never ends: BUILD, deleting or saving until the fault is removed
    kFail,         // "fail": what the request begins fails: a server becomes ERROR
    // "lost-role": lists leave the rows out and GET says 404; tokens stay good. For the service identity: new tokens tell that
    // the role is gone.
    kLostRole,
    kDownCell,  // "down-cell": Nova's `cell` does not answer
  };

  Effect effect = Effect::kRefuse;
  // Which requests; empty for any. Services go by type ("compute"). The path is what follows the version, without the query;
  // '*' stands for any text.
  std::string service = "";
  std::string method = "";
  std::string path = "";
  std::string user = "";
  // How many requests get it, negative for all; those that fit but are spared first; and how likely the others get it.
  int times = -1;
  int skip = 0;
  double probability = 1.0;

  int status = 503;
  // In seconds; 0 sends none.
  int retry_after = 0;
  absl::Duration delay = absl::ZeroDuration();
  // From 1.
  int cell = 1;
  // How many of 100 rows a lost role hides.
  int share = 100;

  // How many requests got it.
  int hits = 0;
};

// What happens to one request.
struct FaultEffects {
  absl::Duration delay = absl::ZeroDuration();
  // 0 if it is not refused.
  int refuse = 0;
  int refuse_after = 0;
  int retry_after = 0;
  bool drop = false;
  bool drop_after = false;
  bool stuck = false;
  bool fail = false;
  int hidden_share = 0;
  std::vector<int> down_cells = {};

  bool Hides(absl::string_view id) const;
  bool IsDown(int cell) const;
};

class FaultPlan {
 public:
  explicit FaultPlan(uint32_t seed) : random_(seed) {}

  void Add(Fault fault) { faults_.push_back(std::move(fault)); }
  void Replace(std::vector<Fault> faults) { faults_ = std::move(faults); }
  const std::vector<Fault>& faults() const { return faults_; }

  // Counts the request against the faults that it fits.
  FaultEffects Apply(absl::string_view service, absl::string_view method, absl::string_view path, absl::string_view user);

 private:
  bool Strikes(Fault& fault);

  std::vector<Fault> faults_;
  std::mt19937 random_;
};

// From {"faults": […]}. The error names the fault, the member and what is allowed.
absl::StatusOr<std::vector<Fault>> ParseFaults(const rapidjson::Value& document);
// The same again, with "hits".
std::string WriteFaults(const std::vector<Fault>& faults);

}  // namespace kupen::simulator
