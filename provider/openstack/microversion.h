// Microversions: which one to speak with a service that serves a range of them.
//
//   ASSIGN_OR_RETURN(MicroversionRange served, ParseVersionDocument(body));                   // GET of the endpoint's root
//   ASSIGN_OR_RETURN(Microversion version, Negotiate("compute", {{2, 72}, {2, 96}}, served));  // the highest that both know
//   AddMicroversion("compute", version, &headers);                                             // OpenStack-API-Version:
//   compute 2.93
#pragma once

#include <compare>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "provider/base/clock.h"
#include "provider/http/transport.h"

namespace kupen::openstack {

struct Microversion {
  int major = 0;
  int minor = 0;

  friend auto operator<=>(const Microversion&, const Microversion&) = default;
};

struct MicroversionRange {
  Microversion min;
  Microversion max;
};

// "2.96".
std::string ToString(Microversion version);
absl::StatusOr<Microversion> ParseMicroversion(absl::string_view text);

// What a service's version document says: Nova's {"version": {…}}, and the {"versions": [{…}]} of others. Not OK if there are
// no microversions in it.
absl::StatusOr<MicroversionRange> ParseVersionDocument(absl::string_view body);

// The highest version in both ranges. The error says what each side has.
absl::StatusOr<Microversion> Negotiate(absl::string_view service_type, const MicroversionRange& wanted,
                                       const MicroversionRange& served);

// Adds the header that asks for it.
void AddMicroversion(absl::string_view service_type, Microversion version, http::Headers* headers);

// What endpoints serve, remembered for an hour: a cloud may be upgraded under us. Sessions of one cloud may share it.
// Thread safety: all methods may be called from any thread.
class MicroversionCache {
 public:
  // The clock must outlive this.
  explicit MicroversionCache(const Clock& clock) : clock_(clock) {}

  std::optional<MicroversionRange> Find(const std::string& endpoint);
  void Keep(const std::string& endpoint, const MicroversionRange& served);
  void Clear();

 private:
  struct Entry {
    MicroversionRange served;
    absl::Time good_until;
  };

  const Clock& clock_;
  std::mutex mutex_;
  std::map<std::string, Entry> entries_;
};

}  // namespace kupen::openstack
