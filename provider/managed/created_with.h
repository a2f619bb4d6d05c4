// What a service never shows again, or cannot change, is remembered as it was when the object was created: a digest for each
// such parameter, in an annotation.
//
//   annotations[kCreatedWith] = CreatedWith(plan, parameters);          // "networks=1f3a55c0,userData=9be00d4a,@roles=member"
//   ChangedSince(Annotation(object, kCreatedWith), plan, parameters)    // the fields that are otherwise now
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "provider/schema/plan.h"
#include "rapidjson/document.h"

namespace kupen::managed {

inline constexpr absl::string_view kCreatedWith = "m.kupenstack.io/created-with";

// A few digits that change with the text.
std::string Digest(absl::string_view text);

// Of the parameters that are immutable or replace, with their references resolved; and the roles of the credentials.
std::string CreatedWith(const schema::MessagePlan& plan, const rapidjson::Value& parameters, absl::string_view roles);

// "admin+member"; empty if it is not known.
std::string RolesCreatedWith(absl::string_view created_with);

// Those of them that the user has set otherwise since. Nothing if it is not known what they were (an imported object).
std::vector<const schema::FieldPlan*> ChangedSince(absl::string_view created_with, const schema::MessagePlan& plan,
                                                   const rapidjson::Value& parameters);

}  // namespace kupen::managed
