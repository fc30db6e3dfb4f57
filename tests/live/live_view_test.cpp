// A page that watches a program's own step loop.
#include "support/scenes.hpp"

#include <achilles/live_view.hpp>

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

namespace achilles {
namespace {

Scene make_ball() {
  Scene scene;
  scene.step = 0.002;
  BodyDescription ball = testing::make_body("ball", {Sphere{0.1}}, Vec3(0, 0, 1));
  ball.mass = 1;
  scene.bodies = {testing::make_ground(), ball};
  return scene;
}

/// What a browser would get from an address of this machine.
std::string get_page(const std::string& address) {
  const int port = std::stoi(address.substr(address.rfind(':') + 1));
  const int file = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(static_cast<std::uint16_t>(port));
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (::connect(file, reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0) {
    const std::string request =
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\nConnection: close\r\n\r\n";
    (void)!::write(file, request.data(), request.size());
    std::array<char, 4096> piece{};
    for (ssize_t n = 0; (n = ::read(file, piece.data(), piece.size())) > 0;) {
      answer.append(piece.data(), static_cast<std::size_t>(n));
    }
  }
  ::close(file);
  return answer;
}

TEST(LiveView, ServesThePresentStateWhileTheProgramSteps) {
  Simulation simulation(make_ball());
  const LiveView view(simulation, {.paced = false});
  ASSERT_EQ(view.address().rfind("http://127.0.0.1:", 0), 0U);
  std::string page;
  std::atomic<bool> is_done = false;
  std::thread browser([&] {
    page = get_page(view.address());
    is_done = true;
  });
  while (!is_done) (void)simulation.step();
  browser.join();
  EXPECT_EQ(page.rfind("HTTP/1.1 200", 0), 0U) << page.substr(0, 200);
  EXPECT_NE(page.find("\"live\":true"), std::string::npos);
  EXPECT_NE(page.find("\"ball\""), std::string::npos);
}

TEST(LiveView, LeavesTheBitsOfARunAloneAndCopiesUnseen) {
  Simulation watched(make_ball());
  Simulation alone(make_ball());
  {
    const LiveView view(watched, {.paced = false});
    for (int k = 0; k < 300; ++k) (void)watched.step();
    Simulation copy = watched;  // has the callbacks, but is another simulation
    (void)copy.step();
  }
  for (int k = 0; k < 300; ++k) (void)alone.step();
  EXPECT_EQ(watched.world().state_hash(), alone.world().state_hash());
  (void)watched.step();  // the view is gone, the simulation goes on
  EXPECT_EQ(watched.world().step_index, 301);
}

TEST(LiveView, APortThatIsTakenIsAnError) {
  Simulation simulation(make_ball());
  const LiveView first(simulation, {.paced = false});
  const std::string address = first.address();
  const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  EXPECT_THROW(LiveView(simulation, {.port = port}), std::runtime_error);
}

}  // namespace
}  // namespace achilles
