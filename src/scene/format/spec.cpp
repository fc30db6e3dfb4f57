#include "scene/format/spec.hpp"

#include "scene/wording.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace achilles::scene_file {
namespace {

Spec of_kind(Spec::Kind kind) {
  Spec spec;
  spec.kind = kind;
  return spec;
}

std::string describe_range(const Range& range) {
  const bool has_lower = std::isfinite(range.lower);
  const bool has_upper = std::isfinite(range.upper);
  if (has_lower && has_upper) {
    return fmt::format(" {} {} to {}", range.above ? "above" : "from", range.lower, range.upper);
  }
  if (has_lower) return fmt::format(" {} {}", range.above ? "above" : "of at least", range.lower);
  if (has_upper) return fmt::format(" of at most {}", range.upper);
  return {};
}

std::string describe_unit(const std::string& unit) { return unit.empty() ? std::string() : fmt::format(" [{}]", unit); }

std::string describe_list(const Spec& spec, const Format& format) {
  constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
  std::string count = "a list";
  if (spec.min_items == spec.max_items) {
    count += fmt::format(" of {}", spec.min_items);
  } else if (spec.min_items > 0 && spec.max_items == kAny) {
    count += fmt::format(" of at least {}", spec.min_items);
  }
  return fmt::format("{}, each {}", count, describe(spec.parts.front(), format));
}

std::string describe_each(const std::vector<Spec>& parts, const char* separator, const Format& format) {
  std::string all;
  for (const Spec& part : parts) all += (all.empty() ? "" : separator) + describe(part, format);
  return all;
}

}  // namespace

const Spec& Format::resolve(const Spec& spec) const {
  return spec.kind == Spec::Kind::kReference ? definitions.at(spec.name) : spec;
}

Spec number(std::string unit) {
  Spec spec = of_kind(Spec::Kind::kNumber);
  spec.unit = std::move(unit);
  return spec;
}

Spec positive(std::string unit) {
  Spec spec = number(std::move(unit));
  spec.range.lower = 0;
  spec.range.above = true;
  return spec;
}

Spec not_negative(std::string unit) {
  Spec spec = number(std::move(unit));
  spec.range.lower = 0;
  return spec;
}

Spec number_in(double lower, double upper) {
  Spec spec = number();
  spec.range = {lower, upper, false};
  return spec;
}

Spec integer_in(double lower, double upper) {
  Spec spec = number_in(lower, upper);
  spec.kind = Spec::Kind::kInteger;
  return spec;
}

Spec boolean() { return of_kind(Spec::Kind::kBoolean); }

Spec text() { return of_kind(Spec::Kind::kText); }

Spec word(std::vector<std::string> words) {
  Spec spec = of_kind(Spec::Kind::kWord);
  spec.words = std::move(words);
  return spec;
}

Spec vector(int size, std::string unit, Range range) {
  Spec spec = of_kind(Spec::Kind::kVector);
  spec.size = size;
  spec.unit = std::move(unit);
  spec.range = range;
  return spec;
}

Spec direction() {
  Spec spec = vector(3);
  spec.is_direction = true;
  return spec;
}

Spec tuple(std::vector<Spec> parts) {
  Spec spec = of_kind(Spec::Kind::kTuple);
  spec.parts = std::move(parts);
  return spec;
}

Spec list(Spec item, std::size_t min_items, std::size_t max_items) {
  Spec spec = of_kind(Spec::Kind::kList);
  spec.parts.push_back(std::move(item));
  spec.min_items = min_items;
  spec.max_items = max_items;
  return spec;
}

Spec named_list(std::string name_key, Spec item) {
  Spec spec = list(std::move(item));
  spec.name_key = std::move(name_key);
  return spec;
}

Spec mapping(std::string name, std::vector<Field> fields, std::vector<Alternatives> alternatives) {
  Spec spec = of_kind(Spec::Kind::kMapping);
  spec.name = std::move(name);
  spec.fields = std::move(fields);
  spec.alternatives = std::move(alternatives);
  return spec;
}

Spec dictionary(std::string name, Spec item, std::vector<Field> fields) {
  Spec spec = of_kind(Spec::Kind::kDictionary);
  spec.name = std::move(name);
  spec.parts.push_back(std::move(item));
  spec.fields = std::move(fields);
  return spec;
}

Spec either(std::vector<Spec> parts) {
  Spec spec = of_kind(Spec::Kind::kEither);
  spec.parts = std::move(parts);
  return spec;
}

Spec reference(std::string name) {
  Spec spec = of_kind(Spec::Kind::kReference);
  spec.name = std::move(name);
  return spec;
}

const Variant* find_variant(const Spec& tagged, std::string_view word) {
  for (const Variant& variant : tagged.variants) {
    if (variant.word == word) return &variant;
  }
  return nullptr;
}

std::vector<std::string> names_of(const std::vector<Field>& fields) {
  std::vector<std::string> names;
  names.reserve(fields.size());
  for (const Field& field : fields) names.push_back(field.name);
  return names;
}

std::string describe(const Spec& spec, const Format& format) {
  switch (spec.kind) {
    case Spec::Kind::kNumber:
      return fmt::format("a number{}{}", describe_range(spec.range), describe_unit(spec.unit));
    case Spec::Kind::kInteger:
      if (spec.range.lower == spec.range.upper) return fmt::format("{}", spec.range.lower);
      return fmt::format("an integer{}", describe_range(spec.range));
    case Spec::Kind::kBoolean:
      return "true or false";
    case Spec::Kind::kWord:
      return fmt::format("one of: {}", enumerate(spec.words));
    case Spec::Kind::kText:
      return "text";
    case Spec::Kind::kVector:
      return fmt::format("a list of {} {}{}{}{}", spec.size, spec.is_integral ? "integers" : "numbers",
                         describe_range(spec.range), describe_unit(spec.unit), spec.is_direction ? ", not all 0" : "");
    case Spec::Kind::kTuple:
      return fmt::format("a list of {}: {}", spec.parts.size(), describe_each(spec.parts, ", ", format));
    case Spec::Kind::kList:
      return describe_list(spec, format);
    case Spec::Kind::kMapping:
      return fmt::format("a mapping with {}", enumerate(names_of(spec.fields)));
    case Spec::Kind::kDictionary:
      return fmt::format("a mapping from names, {}", spec.name);
    case Spec::Kind::kTagged:
      return fmt::format("a mapping with {} and what it takes", spec.tag);
    case Spec::Kind::kEither:
      return describe_each(spec.parts, ", or ", format);
    case Spec::Kind::kReference:
      return describe(format.resolve(spec), format);
  }
  return {};
}

}  // namespace achilles::scene_file
