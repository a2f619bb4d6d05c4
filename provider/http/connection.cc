#include "provider/http/connection.h"

#include <fcntl.h>
#include <openssl/x509_vfy.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "provider/base/status.h"
#include "provider/http/cpp_httplib.h"

namespace kupen::http {
namespace {

// Never reached: the watchdog is earlier. It is what cpp-httplib waits for a single byte.
constexpr time_t kForever = 86'400;

bool Succeeded(int status) { return status >= 200 && status < 300; }

Response Head(const httplib::Response& from) {
  Response head{.status = from.status};
  for (const auto& [name, value] : from.headers) head.headers.emplace_back(name, value);
  return head;
}

// Errors that come before the first byte of the request is written.
bool BeforeSending(httplib::Error error) {
  switch (error) {
    case httplib::Error::Connection:
    case httplib::Error::ConnectionTimeout:
    case httplib::Error::BindIPAddress:
    case httplib::Error::SSLConnection:
    case httplib::Error::SSLLoadingCerts:
    case httplib::Error::SSLServerVerification:
      return true;
    default:
      return false;
  }
}

}  // namespace

// How far an exchange has come.
struct Connection::Progress {
  const ResponseSink& on_head;
  const BodySink& on_body;
  Watchdog::Exchange& watch;
  absl::Duration timeout;
  int connects_before = 0;
  Response response = {};
  bool answered = false;
  bool ended_by_sink = false;
  absl::Status source = absl::OkStatus();

  bool TakeHead(const httplib::Response& head) {
    response = Head(head);
    answered = true;
    if (on_body && Succeeded(response.status) && on_head) on_head(response);
    return true;
  }

  bool TakeBody(absl::string_view piece) {
    if (!on_body || !Succeeded(response.status)) {
      response.body.append(piece.data(), piece.size());
      return true;
    }
    watch.Extend(timeout);
    ended_by_sink = !on_body(piece);
    return !ended_by_sink;
  }

  bool GiveBody(const BodySource& next, httplib::DataSink& sink) {
    absl::StatusOr<std::string> piece = next();
    if (!piece.ok()) {
      source = piece.status();
      return false;
    }
    watch.Extend(timeout);
    if (!piece->empty()) return sink.write(piece->data(), piece->size());
    sink.done();
    return true;
  }
};

absl::StatusOr<std::unique_ptr<Connection>> Connection::Create(const Endpoint& endpoint) {
  std::unique_ptr<Connection> connection(new Connection(endpoint));
  RETURN_IF_ERROR(connection->Prepare());
  return connection;
}

Connection::Connection(const Endpoint& endpoint) : endpoint_(endpoint) {}

Connection::~Connection() {
  client_.reset();
  if (socket_ >= 0) close(socket_);
}

absl::Status Connection::Prepare() {
  const Url& url = endpoint_.url;
  if (url.tls) {
    auto client = std::make_unique<httplib::SSLClient>(url.host, url.port);
    RETURN_IF_ERROR(endpoint_.tls.Configure(client->ssl_context()));
    client->set_ca_cert_store(endpoint_.tls.SharedRoots());
    client->set_ca_cert_path("", kNoRootsHere);
    client->enable_server_certificate_verification(!endpoint_.tls.insecure());
    client_ = std::move(client);
  } else {
    client_ = std::make_unique<httplib::ClientImpl>(url.host, url.port);
  }
  client_->set_keep_alive(true);
  client_->set_tcp_nodelay(true);
  client_->set_url_encode(false);
  client_->set_connection_timeout(absl::ToChronoMicroseconds(endpoint_.connect_timeout));
  client_->set_read_timeout(kForever);
  client_->set_write_timeout(kForever);
  client_->set_socket_options([this](int socket) {
    const int mine = fcntl(socket, F_DUPFD_CLOEXEC, 0);
    ++connects_;
    if (watch_ != nullptr) watch_->Watch(mine);
    if (socket_ >= 0) close(socket_);
    socket_ = mine;
  });
  return absl::OkStatus();
}

absl::StatusOr<bool> Connection::Send(httplib::Request& request, httplib::Response& response, httplib::Error& error,
                                      const Watchdog::Exchange& watch) {
  if (endpoint_.allowed == nullptr || client_->is_socket_open() != 0) return client_->send(request, response, error);
  const std::string& host = endpoint_.url.host;
  ASSIGN_OR_RETURN(const std::vector<std::string> addresses, endpoint_.allowed->Resolve(host));
  for (const std::string& address : addresses) {
    // From now on cpp-httplib does not look the name up. Host header and certificate are still those of the name.
    client_->set_hostname_addr_map({{host, address}});
    if (client_->send(request, response, error)) return true;
    const bool connected = error != httplib::Error::Connection && error != httplib::Error::ConnectionTimeout;
    if (connected || watch.verdict() != absl::StatusCode::kOk) return false;
  }
  return false;
}

Attempt Connection::Exchange(const Request& request, const ResponseSink& on_head, const BodySink& on_body,
                             Watchdog::Exchange& watch) {
  Progress progress{
      .on_head = on_head, .on_body = on_body, .watch = watch, .timeout = request.timeout, .connects_before = connects_};
  httplib::Request out;
  out.method = request.method;
  out.path = endpoint_.url.path + request.target;
  for (const auto& [name, value] : request.headers) out.headers.emplace(name, value);
  out.body = request.body;
  if (request.body_source) {
    out.headers.emplace("Transfer-Encoding", "chunked");
    out.is_chunked_content_provider_ = true;
    out.content_provider_ = [&](size_t /*offset*/, size_t /*length*/, httplib::DataSink& sink) {
      return progress.GiveBody(request.body_source, sink);
    };
  }
  out.response_handler = [&](const httplib::Response& head) { return progress.TakeHead(head); };
  out.content_receiver = [&](const char* data, size_t size, uint64_t /*offset*/, uint64_t /*total*/) {
    return progress.TakeBody({data, size});
  };

  watch_ = &watch;
  watch.Watch(socket_);
  httplib::Response in;
  httplib::Error error = httplib::Error::Success;
  const absl::StatusOr<bool> sent = Send(out, in, error, watch);
  watch_ = nullptr;
  if (!sent.ok()) return {.response = MarkNeverSent(sent.status())};
  const bool done = *sent;

  // The handler is not called for answers that can't have a body.
  if (done && !progress.answered) progress.TakeHead(in);
  if (done || progress.ended_by_sink) return {.response = std::move(progress.response)};
  const absl::Status failure = Failure(static_cast<int>(error), progress, watch);
  const bool reused = progress.connects_before > 0 && connects_ == progress.connects_before;
  return {.response = failure, .may_be_stale = reused && !progress.answered && absl::IsUnavailable(failure)};
}

absl::Status Connection::Failure(int code, const Progress& progress, const Watchdog::Exchange& watch) const {
  const auto error = static_cast<httplib::Error>(code);
  const bool before = BeforeSending(error);
  const auto mark = [before](absl::Status status) { return before ? MarkNeverSent(std::move(status)) : status; };
  const absl::string_view where = before              ? "while connecting"
                                  : progress.answered ? "in the middle of the answer"
                                                      : "before an answer came";
  if (!progress.source.ok()) return progress.source;
  switch (watch.verdict()) {
    case absl::StatusCode::kDeadlineExceeded:
      return mark(absl::DeadlineExceededError(
          absl::StrCat("no end after ", absl::FormatDuration(progress.timeout), ": given up ", where)));
    case absl::StatusCode::kCancelled:
      return mark(absl::CancelledError(absl::StrCat("no longer wanted: ended ", where)));
    default:
      break;
  }
  switch (error) {
    case httplib::Error::Connection:
      if (connects_ == progress.connects_before) return mark(absl::UnavailableError("the host's name can't be resolved"));
      return mark(absl::UnavailableError("connection refused, or no way to the host"));
    case httplib::Error::ConnectionTimeout:
      return mark(
          absl::UnavailableError(absl::StrCat("no connection within ", absl::FormatDuration(endpoint_.connect_timeout))));
    case httplib::Error::SSLServerVerification: {
      const long result = static_cast<httplib::SSLClient&>(*client_).get_openssl_verify_result();
      if (result == X509_V_OK) {
        return mark(absl::UnavailableError(absl::StrCat("the server's certificate is not for ", endpoint_.url.host)));
      }
      return mark(absl::UnavailableError(
          absl::StrCat("the server's certificate is not trusted: ", X509_verify_cert_error_string(result))));
    }
    case httplib::Error::SSLConnection:
      return mark(absl::UnavailableError("the TLS handshake failed"));
    default:
      return mark(absl::UnavailableError(absl::StrCat("the connection broke ", where)));
  }
}

bool Connection::Reusable() const {
  if (socket_ < 0 || client_->is_socket_open() == 0) return false;
  // Data out of turn (a TLS goodbye, say) is as bad as an end.
  char byte = 0;
  return recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

}  // namespace kupen::http
