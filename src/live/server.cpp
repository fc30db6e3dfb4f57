#include "live/server.hpp"

#include <fmt/format.h>
#include <boost/asio.hpp>
#include <boost/beast.hpp>

#include <chrono>
#include <deque>
#include <map>
#include <set>
#include <stdexcept>

namespace achilles::live {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using Tcp = asio::ip::tcp;
using Request = http::request<http::string_body>;
using Text = std::shared_ptr<const std::string>;

constexpr std::size_t kMostClients = 64;
constexpr std::size_t kMostRequest = 4096;                  // [bytes] of a request's body
constexpr std::size_t kMostMessage = 65536;                 // [bytes]
constexpr std::size_t kMostWaiting = 1000;                  // messages that a page may be behind before it is cut off
constexpr auto kRequestPatience = std::chrono::seconds(3);  // until a request is whole: idle sockets make room soon
constexpr auto kAnswerPatience = std::chrono::seconds(30);

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

class Page;

/// What sessions share. Lives in the thread of the server.
struct Hub {
  std::uint16_t port = 0;
  LiveSource* live = nullptr;
  Text page;
  std::uint64_t next_client = 1;
  std::map<std::uint64_t, std::weak_ptr<Page>> pages;
  std::size_t connections = 0;
  asio::io_context io{1};  // goes first: sessions that it still holds sign off above

  [[nodiscard]] bool is_own_host(std::string_view host) const {
    return host == fmt::format("127.0.0.1:{}", port) || host == fmt::format("localhost:{}", port);
  }
  [[nodiscard]] bool is_own_origin(std::string_view origin) const {
    constexpr std::string_view kScheme = "http://";
    return origin.substr(0, kScheme.size()) == kScheme && is_own_host(origin.substr(kScheme.size()));
  }
};

/// The WebSocket of one page. Writes one message after the other; of instants that wait, only the last is kept.
class Page : public std::enable_shared_from_this<Page> {
 public:
  Page(Hub& hub, Tcp::socket socket) : hub_(hub), socket_(std::move(socket)), client_(hub.next_client++) {}
  ~Page() {
    hub_.pages.erase(client_);
    --hub_.connections;
    if (hub_.live != nullptr) hub_.live->forget(client_);
  }
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  void accept(const Request& request) {
    socket_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    socket_.read_message_max(kMostMessage);
    socket_.async_accept(request, [self = shared_from_this()](beast::error_code error) {
      if (error) return;
      self->hub_.pages[self->client_] = self;
      self->hub_.live->greet(self->client_);
      self->read();
    });
  }

  void send(const Text& text, bool is_binary) {
    if (is_binary && waiting_.size() > 1 && waiting_.back().second) waiting_.pop_back();
    if (waiting_.size() >= kMostWaiting) {
      beast::get_lowest_layer(socket_).close();
      return;
    }
    waiting_.emplace_back(text, is_binary);
    if (waiting_.size() == 1) write();
  }

 private:
  void read() {
    socket_.async_read(buffer_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (error) return;  // closed, broken off, or too long: the page is gone, the run is not
      try {
        if (!self->socket_.got_text()) throw Refusal("messages are text");
        self->hub_.live->post(self->client_, parse_message(beast::buffers_to_string(self->buffer_.data())));
      } catch (const Refusal& refusal) {
        self->send(std::make_shared<std::string>(refusal_text(refusal.what())), false);
      }
      self->buffer_.consume(self->buffer_.size());
      self->read();
    });
  }

  void write() {
    socket_.binary(waiting_.front().second);
    socket_.async_write(asio::buffer(*waiting_.front().first),
                        [self = shared_from_this()](beast::error_code error, std::size_t) {
                          if (error) return;
                          self->waiting_.pop_front();
                          if (!self->waiting_.empty()) self->write();
                        });
  }

  Hub& hub_;
  websocket::stream<beast::tcp_stream> socket_;
  std::uint64_t client_;
  beast::flat_buffer buffer_;
  std::deque<std::pair<Text, bool>> waiting_;  // the first is being written
};

/// One HTTP connection: a request, an answer, and the next; or a WebSocket from then on.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Hub& hub, Tcp::socket socket) : hub_(hub), stream_(std::move(socket)) { ++hub_.connections; }
  ~Connection() {
    if (!is_handed_on_) --hub_.connections;
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void read() {
    parser_.emplace();
    parser_->body_limit(kMostRequest);
    stream_.expires_after(kRequestPatience);
    http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (!error) self->handle(self->parser_->release());
    });
  }

 private:
  void handle(const Request& request) {
    stream_.expires_after(kAnswerPatience);
    is_head_ = request.method() == http::verb::head;
    keep_alive_ = request.keep_alive();
    if (!hub_.is_own_host(view(request[http::field::host]))) {
      return answer(http::status::forbidden, "this server is for pages on this machine only\n");
    }
    if (websocket::is_upgrade(request)) return upgrade(request);
    if (request.method() != http::verb::get && !is_head_) {
      return answer(http::status::method_not_allowed, "there is only something to get here\n");
    }
    if (request.target() != "/") return answer(http::status::not_found, "there is only one page: /\n");
    if (hub_.live == nullptr) return answer(http::status::ok, hub_.page);
    stream_.expires_never();
    hub_.live->request_page([self = shared_from_this()](const Text& page) {
      asio::post(self->hub_.io, [self, page] {
        self->stream_.expires_after(kAnswerPatience);
        if (page == nullptr) return self->answer(http::status::internal_server_error, "the page cannot be made\n");
        self->answer(http::status::ok, page);
      });
    });
  }

  void upgrade(const Request& request) {
    if (hub_.live == nullptr || request.target() != "/live") {
      return answer(http::status::not_found, "there is no run to listen to here\n");
    }
    if (!hub_.is_own_origin(view(request[http::field::origin]))) {
      return answer(http::status::forbidden, "only pages of this server may talk to it\n");
    }
    stream_.expires_never();
    is_handed_on_ = true;
    std::make_shared<Page>(hub_, stream_.release_socket())->accept(request);
  }

  void answer(http::status status, std::string_view text) {
    answer(status, std::make_shared<std::string>(text), "text/plain; charset=utf-8");
  }
  void answer(http::status status, const Text& body, const char* type = "text/html; charset=utf-8") {
    body_ = body;
    response_ = {};
    response_.result(status);
    response_.version(11);
    response_.set(http::field::content_type, type);
    response_.set(http::field::cache_control, "no-store");
    response_.set("X-Content-Type-Options", "nosniff");
    response_.set("Cross-Origin-Resource-Policy", "same-origin");
    response_.set("Content-Security-Policy",
                  fmt::format("default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
                              "img-src data: blob:; connect-src ws://127.0.0.1:{0} ws://localhost:{0}; "
                              "frame-ancestors 'none'",
                              hub_.port));
    response_.keep_alive(keep_alive_);
    response_.body().data = is_head_ ? nullptr : const_cast<char*>(body_->data());
    response_.body().size = is_head_ ? 0 : body_->size();
    response_.body().more = false;
    response_.content_length(body_->size());
    http::async_write(stream_, response_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (!error && self->keep_alive_) return self->read();
      beast::error_code ignored;
      self->stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);
    });
  }

  Hub& hub_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::buffer_body> response_;
  Text body_;
  bool is_head_ = false;
  bool keep_alive_ = false;
  bool is_handed_on_ = false;
};

}  // namespace

struct ViewServer::Impl {
  Hub hub;
  Tcp::acceptor acceptor{hub.io};
  asio::steady_timer clock{hub.io};

  void accept() {
    acceptor.async_accept([this](beast::error_code error, Tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      const bool is_local = !error && socket.remote_endpoint(error).address().is_loopback();
      if (is_local && hub.connections < kMostClients) std::make_shared<Connection>(hub, std::move(socket))->read();
      accept();
    });
  }

  void tick(const std::function<bool()>& goes_on) {
    clock.expires_after(std::chrono::milliseconds(100));
    clock.async_wait([this, &goes_on](beast::error_code error) {
      if (error || !goes_on()) return hub.io.stop();
      tick(goes_on);
    });
  }

  void listen_to_run() {
    LiveListener listener;
    listener.send_all = [this](const Text& text, bool is_binary) {
      asio::post(hub.io, [this, text, is_binary] {
        const auto pages = hub.pages;  // sending may close one, which takes it off the list
        for (const auto& [client, page] : pages) {
          if (const std::shared_ptr<Page> open = page.lock()) open->send(text, is_binary);
        }
      });
    };
    listener.send = [this](std::uint64_t client, const Text& text) {
      asio::post(hub.io, [this, client, text] {
        const auto found = hub.pages.find(client);
        if (found == hub.pages.end()) return;
        if (const std::shared_ptr<Page> open = found->second.lock()) open->send(text, false);
      });
    };
    hub.live->start(std::move(listener));
  }
};

ViewServer::ViewServer(std::uint16_t port, LiveSource* live, Text page) : impl_(std::make_unique<Impl>()) {
  impl_->hub.live = live;
  impl_->hub.page = std::move(page);
  const Tcp::endpoint place(asio::ip::address_v4::loopback(), port);
  try {
    impl_->acceptor.open(place.protocol());
    impl_->acceptor.set_option(asio::socket_base::reuse_address(true));
    impl_->acceptor.bind(place);
    impl_->acceptor.listen();
  } catch (const boost::system::system_error& error) {
    throw std::runtime_error(fmt::format("cannot serve on 127.0.0.1:{}: {}", port, error.code().message()));
  }
  impl_->hub.port = impl_->acceptor.local_endpoint().port();
}

ViewServer::~ViewServer() = default;

std::uint16_t ViewServer::port() const { return impl_->hub.port; }

void ViewServer::run(const std::function<bool()>& goes_on) {
  impl_->accept();
  impl_->tick(goes_on);
  if (impl_->hub.live != nullptr) impl_->listen_to_run();
  impl_->hub.io.run();
  if (impl_->hub.live != nullptr) impl_->hub.live->stop();
}

}  // namespace achilles::live
