#include "live/message.hpp"

#include "methods/first_order/first_order.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace achilles::live {
namespace {

using Json = nlohmann::json;

constexpr double kFarthest = 1e9;  // [m] that a page can point to

void check_keys(const Json& message, std::initializer_list<std::string_view> allowed) {
  for (const auto& item : message.items()) {
    if (item.key() != "do" && std::find(allowed.begin(), allowed.end(), item.key()) == allowed.end()) {
      throw Refusal(fmt::format("'{}' takes no '{}'", message["do"].get<std::string>(), item.key().substr(0, 40)));
    }
  }
  for (const std::string_view key : allowed) {
    if (!message.contains(key)) throw Refusal(fmt::format("'{}' is missing", key));
  }
}

double read_number(const Json& value, std::string_view name, double least, double most) {
  const double number = value.is_number() ? value.get<double>() : NAN;
  if (!(number >= least && number <= most)) {
    throw Refusal(fmt::format("'{}' must be a number from {:g} to {:g}", name, least, most));
  }
  return number;
}

Vec3 read_vector(const Json& value, std::string_view name) {
  if (!value.is_array() || value.size() != 3) throw Refusal(fmt::format("'{}' must be three numbers", name));
  Vec3 vector;
  for (std::size_t k = 0; k < 3; ++k) {
    vector[static_cast<int>(k)] = read_number(value[k], name, -kFarthest, kFarthest);
  }
  return vector;
}

Message read(const Json& message, const std::string& word) {
  const auto plain = [&message](Message result) {
    check_keys(message, {});
    return result;
  };
  if (word == "run") return plain(RunMessage{});
  if (word == "pause") return plain(PauseMessage{});
  if (word == "reset") return plain(ResetMessage{});
  if (word == "save") return plain(SaveMessage{});
  if (word == "release") return plain(ReleaseMessage{});
  if (word == "step") {
    check_keys(message, {"count"});
    return StepMessage{static_cast<int>(read_number(message["count"], "count", 1, 1000))};
  }
  if (word == "speed") {
    check_keys(message, {"value"});
    return SpeedMessage{read_number(message["value"], "value", 1e-3, 1e3)};
  }
  if (word == "method") {
    check_keys(message, {"name"});
    if (!message["name"].is_string()) throw Refusal("'name' must be the name of a method");
    return MethodMessage{message["name"].get<std::string>()};
  }
  if (word == "drag") {
    check_keys(message, {"target"});
    return DragMessage{read_vector(message["target"], "target")};
  }
  if (word == "grab") {
    check_keys(message, {"body", "point", "how"});
    const double body = read_number(message["body"], "body", 0, 4e9);
    if (body != std::floor(body)) throw Refusal("'body' must be a whole number");
    const Json& how = message["how"];
    if (how != "spring" && how != kFirstOrderName) throw Refusal("'how' must be \"spring\" or \"first-order\"");
    return GrabMessage{static_cast<std::uint32_t>(body), read_vector(message["point"], "point"),
                       how == kFirstOrderName};
  }
  if (word == "drive") {
    check_keys(message, {"joint", "axis", "value"});
    const double joint = read_number(message["joint"], "joint", 0, 4e9);
    const double axis = read_number(message["axis"], "axis", 0, 1);
    if (joint != std::floor(joint) || axis != std::floor(axis))
      throw Refusal("'joint' and 'axis' must be whole numbers");
    return DriveMessage{static_cast<std::uint32_t>(joint), static_cast<std::size_t>(axis),
                        read_number(message["value"], "value", -kFarthest, kFarthest)};
  }
  throw Refusal(fmt::format("there is nothing called '{}' to do", word.substr(0, 40)));
}

}  // namespace

Message parse_message(std::string_view text) {
  const Json message = Json::parse(text, nullptr, false);
  if (!message.is_object() || !message.contains("do") || !message["do"].is_string()) {
    throw Refusal("not a message: expected {\"do\": \"...\"}");
  }
  return read(message, message["do"].get<std::string>());
}

std::string refusal_text(const std::string& reason) {
  return Json{{"kind", "refused"}, {"reason", reason}}.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace achilles::live
