// One image's data on its way: from a URL to Glance, without ever being on disk or whole in memory.
//
// The checksum is computed of what passes. If it is wrong, or the source breaks off, Glance never sees the end of the body: it
// drops what it has, and the image is queued again as if nothing had been sent.
#pragma once

#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "provider/kinds/image/source.h"
#include "provider/openstack/session.h"

namespace kupen::kinds {

struct ImageSource {
  std::string url;
  // Of the checksum, and its hexadecimal digits; both empty if there is none.
  std::string algorithm = "";
  std::string checksum = "";
};

// Does nothing if the image has its data already. The same patience is for Glance, too.
absl::Status UploadImage(openstack::Session& session, const std::string& image_id, const ImageSource& source,
                         const SourceOptions& options, const std::stop_token& stop);

}  // namespace kupen::kinds
