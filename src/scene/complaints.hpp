// Everything that is wrong or suspicious about one scene, gathered while it is read.
#pragma once

#include "scene/yaml/node.hpp"

#include <achilles/scene.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace achilles::scene_file {

class Complaints {
 public:
  Complaints(std::string file, std::span<const Override> overrides);

  /// Names another file that the scene is read from; its places have the origin that this returns, below 0.
  [[nodiscard]] int add_file(std::string file);

  void error(const Place& place, const std::string& field, const std::string& message);
  void warning(const Place& place, const std::string& field, const std::string& message);

  [[nodiscard]] bool has_errors() const { return errors_seen_ > 0; }
  [[nodiscard]] std::size_t count_errors() const { return errors_seen_; }
  /// Whether further errors are only counted, so that their messages need not be composed.
  [[nodiscard]] bool is_full() const { return errors_seen_ >= kMaxListed; }
  /// Throws SceneError when there was an error. Past `kMaxListed` errors the rest is only counted.
  void throw_errors() const;
  /// Past `kMaxListed` warnings the rest is only counted.
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

  static constexpr std::size_t kMaxListed = 200;

 private:
  [[nodiscard]] Diagnostic make(Diagnostic::Severity severity, const Place& place, const std::string& field,
                                const std::string& message) const;

  std::string file_;
  std::vector<std::string> more_files_;
  std::span<const Override> overrides_;
  std::vector<Diagnostic> errors_;
  std::vector<Diagnostic> warnings_;
  std::size_t errors_seen_ = 0;
  std::size_t warnings_seen_ = 0;
};

}  // namespace achilles::scene_file
