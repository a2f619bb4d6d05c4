// RapidJSON with the few calls that Kubernetes and OpenStack bodies need: parse with a readable error, look up a path without
// checking every step, write.
//
//   ASSIGN_OR_RETURN(rapidjson::Document pod, json::Parse(body));
//   if (json::String(pod, {"status", "phase"}) == "Running") …
//   for (const auto& item : json::Array(list, {"items"})) …
//
// A path that leads nowhere, or to a value of another type, gives the empty value: both APIs leave out what is not set.
#pragma once

#include <initializer_list>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "rapidjson/document.h"

namespace kupen::json {

// The error names the line and column, and what was expected there. What nests deeper than 500 levels is refused, and a number
// that is too large.
absl::StatusOr<rapidjson::Document> Parse(absl::string_view text);

// The value at a path of object members, or null if there is none.
const rapidjson::Value* Find(const rapidjson::Value& root, std::initializer_list<absl::string_view> path);

// What the path leads to; empty if it leads nowhere. The result lives as long as the root.
absl::string_view String(const rapidjson::Value& root, std::initializer_list<absl::string_view> path = {});
rapidjson::Value::ConstArray Array(const rapidjson::Value& root, std::initializer_list<absl::string_view> path = {});

// Whether there is nothing in it: null, or a text, list or object of length 0. Numbers and booleans are never empty.
bool IsEmpty(const rapidjson::Value& value);

using Allocator = rapidjson::Document::AllocatorType;

// A copy of the text, as a value.
rapidjson::Value Text(absl::string_view text, Allocator& allocator);
// Gives a member of an object its value, whether it is there already or not.
void Set(rapidjson::Value& object, absl::string_view name, rapidjson::Value value, Allocator& allocator);
void Set(rapidjson::Value& object, absl::string_view name, absl::string_view text, Allocator& allocator);

// Compact, with members in the order in which they were added.
std::string Write(const rapidjson::Value& value);

}  // namespace kupen::json
