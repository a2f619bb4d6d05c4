// What the API server sends: a watch's stream, cut into pieces anywhere, and lists.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "provider/json/json.h"
#include "provider/kube/client.h"
#include "provider/kube/store.h"
#include "provider/kube/watcher.h"
#include "test/fakes/fake_clock.h"
#include "test/fakes/fake_transport.h"
#include "test/fuzz/fuzz.h"

namespace kupen::fuzz {
namespace {

using Type = kube::WatchEvent::Type;

// Enough for: a stream that is refused, a list, a watch, and the start after an error.
constexpr int kSteps = 8;

// The events of all steps, one in a line; checks what holds for each.
class Round {
 public:
  // Pieces of so many bytes; 0 for all at once.
  Round(absl::string_view stream, size_t piece) {
    for (int i = 0; i < kSteps; ++i) {
      transport_.ReplyWith([=](const http::Request&, const http::BodySink& on_body) -> absl::StatusOr<http::Response> {
        if (!on_body) return http::Response{.status = 200, .body = std::string(stream)};
        const size_t step = piece == 0 ? stream.size() + 1 : piece;
        for (size_t at = 0; at < stream.size(); at += step) {
          if (!on_body(stream.substr(at, step))) break;
        }
        return http::Response{.status = 200};
      });
    }
  }

  std::string Run(bool streaming_list) {
    kube::Watcher watcher(
        client_, clock_, {.resource = {.version = "v1", .plural = "configmaps"}, .streaming_list = streaming_list},
        [this](const kube::WatchEvent& event) { Take(event); }, [](const absl::Status& problem) { CheckMessage(problem); });
    for (int i = 0; i < kSteps; ++i) watcher.Step({});
    for (const kube::ObjectPtr& object : store_.All()) CheckObject(*object);
    return absl::StrJoin(events_, "\n");
  }

 private:
  void Take(const kube::WatchEvent& event) {
    const bool begins = event.type == Type::kInit;
    const bool initial = event.type == Type::kInitApply || event.type == Type::kInitDone;
    Check(begins || begun_, "an event before the first Init");
    Check(!initial || initializing_, "an initial event outside of Init and InitDone");
    Check(event.type != Type::kApply || !initializing_, "news before InitDone");
    begun_ = true;
    if (begins) initializing_ = true;
    if (event.type == Type::kInitDone) initializing_ = false;
    Check((event.object == nullptr) == (begins || event.type == Type::kInitDone), "an event and its object do not fit");
    events_.push_back(
        absl::StrCat(static_cast<int>(event.type), " ", event.object == nullptr ? "" : json::Write(*event.object)));
    store_.Take(event);
  }

  // What is kept of an object is the same object when it is read and kept again (but for the last digit of fractions).
  static void CheckObject(const kube::Object& object) {
    const absl::StatusOr<rapidjson::Document> parsed = json::Parse(object.json());
    Check(parsed.ok(), "a stored object is not JSON", object.json());
    const absl::StatusOr<kube::ObjectPtr> again = kube::Object::From(*parsed);
    Check(again.ok() && (*again)->key() == object.key() && (*again)->uid() == object.uid() &&
              (*again)->resource_version() == object.resource_version() && (*again)->generation() == object.generation() &&
              (*again)->deleting() == object.deleting(),
          "a stored object is another one when it is stored again", object.json());
    object.Label("app");
  }

  test::FakeTransport transport_;
  test::FakeClock clock_;
  kube::Client client_{transport_, "fuzzer"};
  kube::Store store_;
  std::vector<std::string> events_;
  bool begun_ = false;
  bool initializing_ = false;
};

}  // namespace
}  // namespace kupen::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using kupen::fuzz::Round;
  absl::string_view stream = kupen::fuzz::Text(data, size);
  const uint8_t choice = kupen::fuzz::TakeByte(stream);
  const bool streaming_list = choice % 2 == 0;
  const std::string whole = Round(stream, 0).Run(streaming_list);
  const std::string in_pieces = Round(stream, 1 + choice / 2).Run(streaming_list);
  kupen::fuzz::Check(whole == in_pieces, "where a stream is cut makes a difference");
  return 0;
}
