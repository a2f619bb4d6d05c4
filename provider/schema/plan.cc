#include "provider/schema/plan.h"

#include "absl/strings/str_split.h"

namespace kupen::schema {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

MessagePlan PlanMessage(const Descriptor& message);

FieldPlan PlanField(const FieldDescriptor& field) {
  FieldPlan plan;
  plan.json = field.json_name();
  plan.options = apis::OptionsOf(field);
  plan.map = field.is_map();
  plan.type = field.cpp_type();
  plan.repeated = field.is_repeated() && !field.is_map();
  plan.reference = apis::ReferenceMembersOf(field);
  if (plan.options.wire() != "-") {
    plan.wire = absl::StrSplit(plan.options.wire().empty() ? field.name() : plan.options.wire(), '.');
  }
  if (field.type() == FieldDescriptor::TYPE_MESSAGE && !field.is_map()) {
    plan.message = std::make_shared<MessagePlan>(PlanMessage(*field.message_type()));
  }
  return plan;
}

MessagePlan PlanMessage(const Descriptor& message) {
  MessagePlan plan;
  plan.fields.reserve(static_cast<size_t>(message.field_count()));
  for (int i = 0; i < message.field_count(); ++i) plan.fields.push_back(PlanField(*message.field(i)));
  return plan;
}

}  // namespace

KindPlan::KindPlan(const apis::Kind& of)
    : kind(of), parameters(PlanMessage(*of.parameters)), observation(PlanMessage(*of.observation)) {}

}  // namespace kupen::schema
