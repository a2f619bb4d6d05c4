// A small HTTP/1.1 server: metrics, health, and what tests need.
//
//   ASSIGN_OR_RETURN(const std::unique_ptr<Server> server, Server::Start({
//       .address = "0.0.0.0", .port = 8080,
//       .routes = {{"/healthz", [](const Request&) { return Response{.status = 200, .body = "ok"}; }}}}));
//   …                                  // serves until it is destroyed
//
// Thread safety: handlers are called from several threads at once.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "provider/http/transport.h"

namespace httplib {
class Server;
}  // namespace httplib

namespace kupen::http {

using Handler = std::function<Response(const Request&)>;

struct ServerOptions {
  std::string address = "127.0.0.1";
  // 0 for any that is free.
  int port = 0;
  // By exact path; one that ends with '/' also serves all paths below it, and the longest match wins. Others are answered 404.
  std::map<std::string, Handler> routes;
  // How many connections are served at once; others wait.
  size_t threads = 4;
  // With a certificate and its key the server speaks TLS; with a client CA it asks for a certificate of that.
  std::string certificate_pem = {};
  std::string key_pem = {};
  std::string client_ca_pem = {};
};

class Server {
 public:
  static absl::StatusOr<std::unique_ptr<Server>> Start(ServerOptions options);
  // Lets the requests that are being served end.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const { return port_; }

 private:
  Server(ServerOptions options, std::unique_ptr<httplib::Server> server);
  Response Serve(const Request& request) const;

  const ServerOptions options_;
  std::unique_ptr<httplib::Server> server_;
  int port_ = 0;
  std::thread thread_;
};

}  // namespace kupen::http
