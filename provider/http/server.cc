#include "provider/http/server.h"

#include <csignal>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "provider/base/status.h"
#include "provider/http/cpp_httplib.h"
#include "provider/http/tls.h"

namespace kupen::http {
namespace {

constexpr absl::string_view kDefaultContentType = "text/plain; charset=utf-8";

Request Incoming(const httplib::Request& from) {
  Request request{.method = from.method, .target = from.target, .body = from.body};
  for (const auto& [name, value] : from.headers) request.headers.emplace_back(name, value);
  request.content_type = from.get_header_value("Content-Type");
  return request;
}

void Outgoing(const Response& from, httplib::Response& response) {
  response.status = from.status;
  for (const auto& [name, value] : from.headers) {
    if (!absl::EqualsIgnoreCase(name, "Content-Type")) response.set_header(name, value);
  }
  const absl::string_view type = Find(from.headers, "Content-Type");
  response.set_content(from.body, std::string(type.empty() ? kDefaultContentType : type));
}

absl::StatusOr<std::unique_ptr<httplib::Server>> Make(const ServerOptions& options) {
  if (options.certificate_pem.empty()) return std::make_unique<httplib::Server>();
  ASSIGN_OR_RETURN(const TlsMaterial tls, TlsMaterial::Parse({.ca_pem = options.client_ca_pem,
                                                              .certificate_pem = options.certificate_pem,
                                                              .key_pem = options.key_pem}));
  absl::Status configured;
  auto server = std::make_unique<httplib::SSLServer>([&](SSL_CTX& context) {
    configured = tls.Configure(&context);
    if (!options.client_ca_pem.empty()) {
      SSL_CTX_set_cert_store(&context, tls.SharedRoots());
      SSL_CTX_set_verify(&context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    }
    return configured.ok();
  });
  RETURN_IF_ERROR(configured);
  return server;
}

}  // namespace

Server::Server(ServerOptions options, std::unique_ptr<httplib::Server> server)
    : options_(std::move(options)), server_(std::move(server)) {
  const auto serve = [this](const httplib::Request& request, httplib::Response& response) {
    Outgoing(Serve(Incoming(request)), response);
  };
  const std::string any = ".*";
  server_->Get(any, serve).Post(any, serve).Put(any, serve).Patch(any, serve).Delete(any, serve).Options(any, serve);
  server_->new_task_queue = [threads = options_.threads] { return new httplib::ThreadPool(threads); };
  server_->set_keep_alive_max_count(1'000'000);
  // A stop waits for it.
  server_->set_keep_alive_timeout(1);
  // In place of SO_REUSEPORT, with which two servers would share a port and each get some of the requests.
  server_->set_socket_options([](int socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  });
  server_->set_tcp_nodelay(true);
}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(ServerOptions options) {
  absl::StatusOr<std::unique_ptr<httplib::Server>> made = Make(options);
  if (!made.ok()) return Annotate(made.status(), "HTTP server");
  std::signal(SIGPIPE, SIG_IGN);
  std::unique_ptr<Server> server(new Server(std::move(options), *std::move(made)));
  const ServerOptions& given = server->options_;
  if (given.port == 0) {
    server->port_ = server->server_->bind_to_any_port(given.address);
  } else if (server->server_->bind_to_port(given.address, given.port)) {
    server->port_ = given.port;
  }
  if (server->port_ <= 0) {
    return absl::UnavailableError(
        absl::StrCat("HTTP server: can't listen on ", given.address, ", port ", given.port, ": is it taken?"));
  }
  server->thread_ = std::thread([listener = server->server_.get()] { listener->listen_after_bind(); });
  // Until then cpp-httplib ignores a stop.
  while (!server->server_->is_running()) absl::SleepFor(absl::Milliseconds(1));
  return server;
}

Server::~Server() {
  server_->stop();
  if (thread_.joinable()) thread_.join();
}

Response Server::Serve(const Request& request) const {
  const std::string path = request.target.substr(0, request.target.find('?'));
  if (const auto exact = options_.routes.find(path); exact != options_.routes.end()) return exact->second(request);
  for (size_t slash = path.rfind('/'); slash != std::string::npos;
       slash = slash == 0 ? std::string::npos : path.rfind('/', slash - 1)) {
    if (const auto route = options_.routes.find(path.substr(0, slash + 1)); route != options_.routes.end()) {
      return route->second(request);
    }
  }
  return {.status = 404, .body = "not found\n"};
}

}  // namespace kupen::http
