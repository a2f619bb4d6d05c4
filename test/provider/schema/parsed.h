// JSON for tests, and the plans of real kinds.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "apis/registry/registry.h"
#include "gtest/gtest.h"
#include "provider/json/json.h"
#include "provider/schema/plan.h"
#include "rapidjson/document.h"

namespace kupen::schema {

inline rapidjson::Document Parsed(absl::string_view text) {
  absl::StatusOr<rapidjson::Document> document = json::Parse(text);
  EXPECT_TRUE(document.ok()) << document.status() << "\n" << text;
  return document.ok() ? *std::move(document) : rapidjson::Document(rapidjson::kObjectType);
}

inline const KindPlan& PlanOf(const std::string& reference) {
  static auto* const kPlans = new std::map<std::string, std::unique_ptr<KindPlan>>;
  std::unique_ptr<KindPlan>& plan = (*kPlans)[reference];
  if (plan == nullptr) plan = std::make_unique<KindPlan>(*apis::Registry().Find(reference));
  return *plan;
}

}  // namespace kupen::schema
