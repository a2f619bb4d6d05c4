// Where parameters point at other objects, at any depth.
//
//   for (const ReferenceUse& use : FindReferences(plan.parameters, parameters)) {
//     ASSIGN_OR_RETURN(const std::string id, Resolve(use));
//     …
//   }
#pragma once

#include <string>
#include <vector>

#include "provider/schema/codec.h"
#include "provider/schema/plan.h"
#include "rapidjson/document.h"

namespace kupen::schema {

// A field whose value the user gave by something other than its id. Points into the plan and the parameters.
struct ReferenceUse {
  const FieldPlan* field;
  // The object that has the members networkRef, networkSelector or networkName, and is to get networkID.
  rapidjson::Value* holder;
  // For people, and to remember what it resolved to: networks[0].networkRef
  std::string path;
  // Which member it is, and what it says; the latter only until the first SetResolved(), which may move members.
  std::string member;
  const rapidjson::Value* value;
};

// In an order in which they can be set one after the other.
std::vector<ReferenceUse> FindReferences(const MessagePlan& plan, rapidjson::Value& parameters);

// Puts what references resolved to in the place of the id: the id itself, or one more item of the list of ids.
void SetResolved(const ReferenceUse& use, const std::vector<std::string>& ids, Allocator& allocator);

}  // namespace kupen::schema
