#include "provider/openstack/microversion.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "provider/base/status.h"
#include "provider/json/json.h"
#include "provider/openstack/service.h"

namespace kupen::openstack {
namespace {

constexpr absl::Duration kGoodFor = absl::Hours(1);

// The first Nova that understands the header common to all services.
constexpr Microversion kNovaCommonHeader = {2, 27};

// One version's entry; the highest microversion is "version" in Nova and Cinder, "max_version" in Placement.
absl::StatusOr<MicroversionRange> RangeOf(const rapidjson::Value& entry) {
  absl::string_view max = json::String(entry, {"version"});
  if (max.empty()) max = json::String(entry, {"max_version"});
  MicroversionRange range;
  ASSIGN_OR_RETURN(range.min, ParseMicroversion(json::String(entry, {"min_version"})));
  ASSIGN_OR_RETURN(range.max, ParseMicroversion(max));
  return range;
}

}  // namespace

std::string ToString(Microversion version) { return absl::StrCat(version.major, ".", version.minor); }

absl::StatusOr<Microversion> ParseMicroversion(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(text, absl::MaxSplits('.', 1));
  Microversion version;
  if (!absl::SimpleAtoi(parts.first, &version.major) || !absl::SimpleAtoi(parts.second, &version.minor)) {
    return absl::InvalidArgumentError(absl::StrCat("\"", text, "\" is not a microversion such as 2.79"));
  }
  return version;
}

absl::StatusOr<MicroversionRange> ParseVersionDocument(absl::string_view body) {
  ASSIGN_OR_RETURN(const rapidjson::Document document, json::Parse(body));
  if (const rapidjson::Value* version = json::Find(document, {"version"})) return RangeOf(*version);
  for (const rapidjson::Value& version : json::Array(document, {"versions"})) {
    // An old Cinder lists v2 too, with empty microversions.
    if (absl::StatusOr<MicroversionRange> range = RangeOf(version); range.ok()) return range;
  }
  return absl::FailedPreconditionError("the version document names no microversions");
}

absl::StatusOr<Microversion> Negotiate(absl::string_view service_type, const MicroversionRange& wanted,
                                       const MicroversionRange& served) {
  const Microversion highest = std::min(wanted.max, served.max);
  if (highest >= wanted.min && highest >= served.min) return highest;
  return absl::FailedPreconditionError(absl::StrCat(ServiceNamed(service_type).project, ": serves the microversions ",
                                                    ToString(served.min), " to ", ToString(served.max), ", but one of ",
                                                    ToString(wanted.min), " to ", ToString(wanted.max), " is needed"));
}

void AddMicroversion(absl::string_view service_type, Microversion version, http::Headers* headers) {
  const Service service = ServiceNamed(service_type);
  if (service.type == "compute" && version < kNovaCommonHeader) {
    headers->emplace_back("X-OpenStack-Nova-API-Version", ToString(version));
    return;
  }
  headers->emplace_back("OpenStack-API-Version", absl::StrCat(service.microversion_name, " ", ToString(version)));
}

std::optional<MicroversionRange> MicroversionCache::Find(const std::string& endpoint) {
  const std::lock_guard guard(mutex_);
  const auto found = entries_.find(endpoint);
  if (found == entries_.end() || found->second.good_until <= clock_.Now()) return std::nullopt;
  return found->second.served;
}

void MicroversionCache::Keep(const std::string& endpoint, const MicroversionRange& served) {
  const std::lock_guard guard(mutex_);
  entries_.insert_or_assign(endpoint, Entry{.served = served, .good_until = clock_.Now() + kGoodFor});
}

void MicroversionCache::Clear() {
  const std::lock_guard guard(mutex_);
  entries_.clear();
}

}  // namespace kupen::openstack
