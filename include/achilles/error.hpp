// What the library throws for input it cannot accept.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace achilles {

/// One complaint about a file, precise enough to repair it.
struct Diagnostic {
  enum class Severity { kError, kWarning };
  Severity severity = Severity::kError;
  std::string file;
  int line = 0;         // from 1; 0 when there is no line to name
  int column = 0;       // from 1
  std::string field;    // path of the key, e.g. "bodies.left.mass"
  std::string message;  // what was found, what is allowed, what was probably meant

  /// "file:line:column: error: field: message", leaving out what is not known.
  [[nodiscard]] std::string text() const;
};

/// A scene (or another input file) that cannot be used: all its errors, not only the first.
class SceneError : public std::runtime_error {
 public:
  explicit SceneError(std::vector<Diagnostic> diagnostics);
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace achilles
