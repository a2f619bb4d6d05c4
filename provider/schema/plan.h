// A kind's messages as flat tables, made once: descriptors and their options are too slow to ask in a loop.
//
//   const KindPlan plan(*apis::Registry().Find("network.Network"));
//   for (const FieldPlan& field : plan.parameters.fields) …
//
// Thread safety: read-only after construction.
#pragma once

#include <google/protobuf/descriptor.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apis/model/kinds.h"
#include "apis/model/references.h"

namespace kupen::schema {

struct FieldPlan;

struct MessagePlan {
  std::vector<FieldPlan> fields;
};

struct FieldPlan {
  // What the user writes: networkType.
  std::string json;
  // Where the service has it: provider:network_type, or a path. Empty if the kind's C++ reads and writes it.
  std::vector<std::string> wire;
  bool repeated = false;
  bool map = false;
  // Of the value, or of each item of a list.
  google::protobuf::FieldDescriptor::CppType type = google::protobuf::FieldDescriptor::CPPTYPE_STRING;
  // Of a field that is a message, or a list of them; else null.
  std::shared_ptr<const MessagePlan> message;
  // Of a field that points at another object.
  std::optional<apis::ReferenceMembers> reference;
  apis::options::v1::Field options;
};

struct KindPlan {
  explicit KindPlan(const apis::Kind& kind);

  const apis::Kind& kind;
  MessagePlan parameters;
  MessagePlan observation;
};

}  // namespace kupen::schema
