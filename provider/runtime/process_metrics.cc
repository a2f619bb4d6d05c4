#include "provider/runtime/process_metrics.h"

#include <dirent.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace kupen::runtime {
namespace {

using Type = prometheus::MetricType;

std::string ReadFile(const char* path) {
  const std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

// The fields of /proc/self/stat from the third on: the second is the program's name, which may hold anything.
std::vector<double> StatFields() {
  const std::string text = ReadFile("/proc/self/stat");
  std::vector<double> fields;
  for (const absl::string_view word :
       absl::StrSplit(absl::string_view(text).substr(text.rfind(')') + 1), ' ', absl::SkipEmpty())) {
    double number = 0;
    fields.push_back(absl::SimpleAtod(word, &number) ? number : 0);
  }
  return fields;
}

// Field n of proc(5), which counts from 1.
double Field(const std::vector<double>& fields, size_t n) { return n - 3 < fields.size() ? fields[n - 3] : 0; }

double BootTime() {
  for (const absl::string_view line : absl::StrSplit(ReadFile("/proc/stat"), '\n')) {
    const std::pair<absl::string_view, absl::string_view> words = absl::StrSplit(line, ' ');
    double seconds = 0;
    if (words.first == "btime" && absl::SimpleAtod(words.second, &seconds)) return seconds;
  }
  return 0;
}

double CountOpenFiles() {
  DIR* const directory = opendir("/proc/self/fd");
  if (directory == nullptr) return 0;
  double count = 0;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody else has this directory stream
  while (readdir(directory) != nullptr) ++count;
  closedir(directory);
  // Without ".", ".." and the directory itself.
  return count - 3;
}

}  // namespace

prometheus::MetricFamily MakeMetric(absl::string_view name, absl::string_view help, Type type, double value,
                                    const std::map<std::string, std::string>& labels) {
  prometheus::ClientMetric metric;
  metric.label.reserve(labels.size());
  for (const auto& [key, text] : labels) metric.label.push_back({key, text});
  metric.gauge.value = value;
  metric.counter.value = value;
  return {std::string(name), std::string(help), type, {std::move(metric)}};
}

std::vector<prometheus::MetricFamily> ProcessMetrics() {
  const std::vector<double> stat = StatFields();
  if (stat.empty()) return {};
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  return {
      MakeMetric("process_cpu_seconds_total", "User and system CPU time spent", Type::Counter,
                 (Field(stat, 14) + Field(stat, 15)) / ticks),
      MakeMetric("process_resident_memory_bytes", "Resident memory", Type::Gauge, Field(stat, 24) * page),
      MakeMetric("process_virtual_memory_bytes", "Virtual memory", Type::Gauge, Field(stat, 23)),
      MakeMetric("process_threads", "Threads", Type::Gauge, Field(stat, 20)),
      MakeMetric("process_start_time_seconds", "Start of the process, in seconds since 1970", Type::Gauge,
                 BootTime() + Field(stat, 22) / ticks),
      MakeMetric("process_open_fds", "Open file descriptors", Type::Gauge, CountOpenFiles()),
      MakeMetric("process_max_fds", "How many file descriptors may be open", Type::Gauge,
                 static_cast<double>(sysconf(_SC_OPEN_MAX))),
  };
}

}  // namespace kupen::runtime
