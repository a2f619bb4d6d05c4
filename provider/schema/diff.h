// What the user wants that the cloud does not have.
//
//   for (const Change& change : Diff(plan.parameters, for_provider, object, allocator)) {
//     body.AddMember(…change.field->wire.front()…, change.wanted, …);
//   }
//
// Only fields that the user set are compared: what is absent from the spec is not managed. A field that the service does not
// show is taken to be as wanted; nothing can be known about it.
#pragma once

#include <string>
#include <vector>

#include "provider/schema/codec.h"
#include "provider/schema/plan.h"
#include "rapidjson/document.h"

namespace kupen::schema {

struct Change {
  const FieldPlan* field;
  // As the service takes it.
  rapidjson::Value wanted;
  // For people: "mtu: 1500 → 9000", or "userData: changed" where the value must not be shown.
  std::string text;
};

std::vector<Change> Diff(const MessagePlan& plan, const rapidjson::Value& parameters, const rapidjson::Value& object,
                         Allocator& allocator);

// Whether a field of the service has the value that is wanted. An order that means nothing, upper and lower case in ids, ways
// to write an address, and members of an object that the user did not set make no difference.
bool Matches(const FieldPlan& field, const rapidjson::Value& wanted, const rapidjson::Value& seen);

}  // namespace kupen::schema
