#include "scene/complaints.hpp"

#include "scene/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace achilles::scene_file {
namespace {

// Files are corrected from top to bottom; what is about a --set has no line and comes first.
std::vector<Diagnostic> in_file_order(std::vector<Diagnostic> all) {
  std::stable_sort(all.begin(), all.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.line, a.column) < std::tie(b.line, b.column);
  });
  return all;
}

}  // namespace

Complaints::Complaints(std::string file, std::span<const Override> overrides)
    : file_(std::move(file)), overrides_(overrides) {}

Diagnostic Complaints::make(Diagnostic::Severity severity, const Place& place, const std::string& field,
                            const std::string& message) const {
  Diagnostic diagnostic{severity, file_, place.line, place.column, field, message};
  if (place.origin < 0) diagnostic.file = more_files_[static_cast<std::size_t>(-place.origin) - 1];
  if (place.origin > 0) {
    const Override& set = overrides_[static_cast<std::size_t>(place.origin) - 1];
    diagnostic.file = fmt::format("--set {}={}", shorten(set.path), shorten(set.value));
    diagnostic.line = 0;
    diagnostic.column = 0;
  }
  return diagnostic;
}

int Complaints::add_file(std::string file) {
  more_files_.push_back(std::move(file));
  return -static_cast<int>(more_files_.size());
}

void Complaints::error(const Place& place, const std::string& field, const std::string& message) {
  if (++errors_seen_ <= kMaxListed) errors_.push_back(make(Diagnostic::Severity::kError, place, field, message));
}

void Complaints::warning(const Place& place, const std::string& field, const std::string& message) {
  if (++warnings_seen_ <= kMaxListed) warnings_.push_back(make(Diagnostic::Severity::kWarning, place, field, message));
}

std::vector<Diagnostic> Complaints::warnings() const {
  std::vector<Diagnostic> all = in_file_order(warnings_);
  if (warnings_seen_ > kMaxListed) {
    all.push_back({Diagnostic::Severity::kWarning, file_, 0, 0, "",
                   fmt::format("and {} more warnings of this file", warnings_seen_ - kMaxListed)});
  }
  return all;
}

void Complaints::throw_errors() const {
  if (errors_seen_ == 0) return;
  std::vector<Diagnostic> all = in_file_order(errors_);
  if (errors_seen_ > kMaxListed) {
    all.push_back({Diagnostic::Severity::kError, file_, 0, 0, "",
                   fmt::format("and {} more errors of this file", errors_seen_ - kMaxListed)});
  }
  throw SceneError(std::move(all));
}

}  // namespace achilles::scene_file
