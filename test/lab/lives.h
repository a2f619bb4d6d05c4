// Objects for the crash tests: one for each point at which the provider may die and each way to know an object again.
//
//   std::vector<Life> lives = Lives();
//   LiveAll(lab, lives, absl::Minutes(2));    // created, changed and deleted, once each, whatever happens to the provider
//   meanwhile
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "test/lab/lab.h"

namespace kupen::test {

struct Sort;

struct Life {
  const Sort* sort;
  // The point that it dies at, and its sort: "create-sent-network".
  std::string name;
};

std::vector<Life> Lives();

// Runs the objects from their creation to their deletion, starting the provider again whenever it dies. The cloud must then
// have each of them once, and none in the end: anything else, or that it takes longer than the limit until they are ready,
// changed or gone, is a failure of the test.
void LiveAll(Lab& lab, const std::vector<Life>& lives, absl::Duration limit);

}  // namespace kupen::test
