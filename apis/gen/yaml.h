// A tree that keeps the order of its members, and its YAML. Just what generated manifests need.
//
//   Yaml schema = Yaml::Map({{"type", "string"}});
//   schema.Set("maxLength", 255);
//   Write(schema)   // "type: string\nmaxLength: 255\n"
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"

namespace kupen::apis {

class Yaml {
 public:
  using Member = std::pair<std::string, Yaml>;

  // Scalars convert by themselves: schemas are written as literals.
  Yaml(const char* text) : value_(std::string(text)) {}        // NOLINT(google-explicit-constructor)
  Yaml(std::string text) : value_(std::move(text)) {}          // NOLINT(google-explicit-constructor)
  Yaml(absl::string_view text) : value_(std::string(text)) {}  // NOLINT(google-explicit-constructor)
  Yaml(bool flag) : value_(flag) {}                            // NOLINT(google-explicit-constructor)
  Yaml(int number) : value_(static_cast<int64_t>(number)) {}   // NOLINT(google-explicit-constructor)
  Yaml(int64_t number) : value_(number) {}                     // NOLINT(google-explicit-constructor)

  static Yaml Map(std::vector<Member> members = {});
  static Yaml List(std::vector<Yaml> items = {});

  // Adds a member to a map, or replaces the one of that name.
  Yaml& Set(absl::string_view name, Yaml value);
  // Sets all members of another map.
  Yaml& Merge(const Yaml& other);
  // Adds an item to a list.
  Yaml& Add(Yaml item);

  bool empty() const;
  // The member of a map, or null.
  const Yaml* Find(absl::string_view name) const;
  // Of a list.
  const std::vector<Yaml>& items() const { return std::get<std::vector<Yaml>>(value_); }

 private:
  friend class YamlWriter;

  Yaml() = default;

  std::variant<std::string, bool, int64_t, std::vector<Yaml>, std::vector<Member>> value_;
};

// Lines stay under 128 columns where words allow. Ends with a line feed.
std::string Write(const Yaml& value);

}  // namespace kupen::apis
