#include "provider/kinds/image/upload.h"

#include <optional>
#include <thread>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "provider/base/status.h"
#include "provider/http/url.h"
#include "provider/json/json.h"
#include "provider/kinds/image/checksum.h"
#include "provider/kinds/image/pipe.h"

namespace kupen::kinds {
namespace {

std::string ImagePath(const std::string& image_id) { return absl::StrCat("/images/", http::Escape(image_id)); }

// Asked anew: what the mirror knows may be older than the end of the last upload. It also renews a token that is no longer
// good, which a request whose body is streamed cannot.
absl::StatusOr<std::string> StatusOfImage(openstack::Session& session, const std::string& image_id,
                                          const std::stop_token& stop) {
  ASSIGN_OR_RETURN(const http::Response response, session.Send({.service = "image", .path = ImagePath(image_id)}, stop));
  ASSIGN_OR_RETURN(const rapidjson::Document image, json::Parse(response.body));
  return std::string(json::String(image, {"status"}));
}

absl::Status SendToGlance(openstack::Session& session, const std::string& image_id, Pipe& pipe, absl::Duration patience,
                          const std::stop_token& stop) {
  return session
      .Send({.service = "image",
             .method = "PUT",
             .path = ImagePath(image_id) + "/file",
             .body_source = [&pipe] { return pipe.Read(); },
             .content_type = "application/octet-stream",
             .timeout = patience},
            stop)
      .status();
}

absl::Status Verify(const ImageSource& source, std::optional<Checksum>& checksum) {
  if (!checksum.has_value()) return absl::OkStatus();
  const std::string found = checksum->Finish();
  if (found == source.checksum) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("source.checksum: the data of ", WithoutQuery(source.url), " has the ",
                                                    source.algorithm, " ", found, ", but ", source.checksum,
                                                    " is expected; the cloud has kept nothing of it"));
}

absl::Status Transfer(openstack::Session& session, const std::string& image_id, const ImageSource& source,
                      const SourceOptions& options, const std::stop_token& stop) {
  std::optional<Checksum> checksum;
  if (!source.checksum.empty()) {
    ASSIGN_OR_RETURN(checksum, Checksum::Create(source.algorithm));
  }
  Pipe pipe(stop);
  absl::Status sent;
  std::jthread sender;
  // Not before the source answers: the image leaves its queue with the PUT.
  const auto start_sending = [&] {
    sender = std::jthread([&] {
      sent = SendToGlance(session, image_id, pipe, options.patience, stop);
      pipe.CloseReading();
    });
  };
  const auto pass_on = [&](absl::string_view piece) {
    if (checksum.has_value()) checksum->Add(piece);
    return pipe.Write(piece);
  };
  absl::Status received = ReadSource(source.url, options, start_sending, pass_on, stop);
  // What was broken off must not look like an end.
  if (stop.stop_requested()) received = absl::CancelledError("no longer wanted");
  // If Glance wanted no more of it, the source did not come to its end, and Glance has said why.
  if (received.ok() && !pipe.reading_closed()) received = Verify(source, checksum);
  pipe.CloseWriting(received);
  if (sender.joinable()) sender.join();
  return received.ok() ? sent : received;
}

}  // namespace

absl::Status UploadImage(openstack::Session& session, const std::string& image_id, const ImageSource& source,
                         const SourceOptions& options, const std::stop_token& stop) {
  ASSIGN_OR_RETURN(const std::string status, StatusOfImage(session, image_id, stop));
  if (status == "active") return absl::OkStatus();
  // Of an upload that was broken off a moment ago, or somebody else's.
  if (status != "queued") {
    return absl::UnavailableError(absl::StrCat("glance says that the image is ", status, ", and takes no data for it now"));
  }
  return Annotate(Transfer(session, image_id, source, options, stop), "upload of the image's data");
}

}  // namespace kupen::kinds
