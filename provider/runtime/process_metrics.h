// What the kernel knows about this process, under the names of Prometheus' own client libraries.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "prometheus/metric_family.h"
#include "prometheus/metric_type.h"

namespace kupen::runtime {

// A metric with one series. A counter or a gauge.
prometheus::MetricFamily MakeMetric(absl::string_view name, absl::string_view help, prometheus::MetricType type, double value,
                                    const std::map<std::string, std::string>& labels = {});

// Memory, CPU time, open files, threads and start time, as they are now. What /proc does not tell is left out.
std::vector<prometheus::MetricFamily> ProcessMetrics();

}  // namespace kupen::runtime
