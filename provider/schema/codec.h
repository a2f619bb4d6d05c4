// From what the user writes to what the service takes, and from what the service says to what the user sees.
//
//   // spec.forProvider {adminStateUp: true}  →  {"admin_state_up": true}
//   const rapidjson::Value body = EncodeForCreate(plan.parameters, parameters, allocator);
//   // {"router:external": false, "mtu": 1500}  →  status.atProvider {external: false, mtu: 1500}
//   const rapidjson::Value seen = Decode(plan.observation, object, allocator);
//
// Members that no plan knows are left out, in both directions. The same input gives the same bytes.
#pragma once

#include "provider/schema/plan.h"
#include "rapidjson/document.h"

namespace kupen::schema {

using Allocator = rapidjson::Document::AllocatorType;

// What a new object is made of: forProvider, and beneath it initProvider, and beneath that the defaults of the plan. Merged by
// top-level member; a member that says what a field refers to (networkRef) overrides all others that do (networkID).
rapidjson::Value ParametersForCreate(const MessagePlan& plan, const rapidjson::Value& spec, Allocator& allocator);

// Parameters as the service takes them. What is absent, null or, unless the plan says that it clears, empty is left out.
rapidjson::Value Encode(const MessagePlan& plan, const rapidjson::Value& parameters, Allocator& allocator);
// The same, without what a request of its own has to send after the object exists.
rapidjson::Value EncodeForCreate(const MessagePlan& plan, const rapidjson::Value& parameters, Allocator& allocator);
// One field's value.
rapidjson::Value EncodeValue(const FieldPlan& field, const rapidjson::Value& value, Allocator& allocator);

// What the service says, as the user sees it. What is absent, null, an empty text or list, or of another type than the plan
// says is left out; what has no order is sorted, so that the same state gives the same status. Lists, maps and texts that are
// too long for a status are cut: it must stay small, and the API server refuses what its CRD does not allow.
rapidjson::Value Decode(const MessagePlan& plan, const rapidjson::Value& object, Allocator& allocator);

// The member at a path, or null.
const rapidjson::Value* FindAt(const rapidjson::Value& object, const std::vector<std::string>& path);

}  // namespace kupen::schema
