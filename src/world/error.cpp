#include <achilles/error.hpp>

#include <fmt/format.h>

#include <utility>

namespace achilles {
namespace {

std::string join_texts(const std::vector<Diagnostic>& diagnostics) {
  std::string all;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!all.empty()) all += '\n';
    all += diagnostic.text();
  }
  return all.empty() ? std::string("the scene cannot be used") : all;
}

}  // namespace

std::string Diagnostic::text() const {
  std::string all = file;
  if (line > 0) all += fmt::format("{}{}", all.empty() ? "line " : ":", line);
  if (line > 0 && column > 0) all += fmt::format(":{}", column);
  if (!all.empty()) all += ": ";
  all += severity == Severity::kError ? "error: " : "warning: ";
  if (!field.empty()) all += field + ": ";
  return all + message;
}

SceneError::SceneError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(join_texts(diagnostics)), diagnostics_(std::move(diagnostics)) {}

}  // namespace achilles
