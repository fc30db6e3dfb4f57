#include "scene/format/reference.hpp"

#include "scene/format/format.hpp"

#include <fmt/format.h>

namespace achilles::scene_file {
namespace {

bool is_deep(const Spec& spec) { return spec.kind == Spec::Kind::kMapping && !spec.fields.empty(); }

// What a table cell states of a value; parts that have a table of their own are named.
std::string cell(const Spec& spec, const Format& format) {
  switch (spec.kind) {
    case Spec::Kind::kReference:
      return fmt::format("[{0}](#{0})", spec.name);
    case Spec::Kind::kList: {
      const Spec& item = spec.parts.front();
      const bool is_part = item.kind == Spec::Kind::kReference;
      return is_part ? fmt::format("a list, each {}", cell(item, format)) : describe(spec, format);
    }
    case Spec::Kind::kDictionary:
      return fmt::format("a mapping from names, each {}", cell(spec.parts.front(), format));
    case Spec::Kind::kEither: {
      std::string all;
      for (const Spec& part : spec.parts) all += (all.empty() ? "" : ", or ") + cell(part, format);
      return all;
    }
    default:
      return describe(spec, format);
  }
}

std::string standard_of(const Field& field) {
  if (field.required) return "required";
  return field.standard.empty() ? "" : fmt::format("`{}`", field.standard);
}

class Reference {
 public:
  explicit Reference(const Format& format) : format_(format) {}

  void add_part(const std::string& title, const std::string& about, const std::vector<Field>& fields) {
    out_ += fmt::format("\n### {}\n\n{}", title, about.empty() ? "" : about + "\n\n");
    if (fields.empty()) return;
    out_ += "| key | value | default | meaning |\n|---|---|---|---|\n";
    add_rows("", fields);
  }

  std::string take() { return std::move(out_); }

 private:
  // Small mappings inside a part are rows of the same table, under `key.inner`.
  void add_rows(const std::string& before, const std::vector<Field>& fields) {
    for (const Field& field : fields) {
      const std::string key = before + field.name;
      out_ +=
          fmt::format("| `{}` | {} | {} | {} |\n", key, is_deep(field.spec) ? "a mapping" : cell(field.spec, format_),
                      standard_of(field), field.meaning);
      if (is_deep(field.spec)) add_rows(key + ".", field.spec.fields);
      if (field.spec.kind == Spec::Kind::kDictionary) add_rows(key + ".", field.spec.fields);
      for (const Spec& part : field.spec.parts) {
        if (field.spec.kind == Spec::Kind::kEither && is_deep(part)) add_rows(key + ".", part.fields);
      }
    }
  }

  const Format& format_;
  std::string out_;
};

}  // namespace

std::string format_reference() {
  const Format& format = scene_format();
  Reference reference(format);
  reference.add_part("scene", "", format.root.fields);
  const auto add = [&](const char* name) { reference.add_part(name, "", format.definitions.at(name).fields); };
  for (const char* name : {"body", "shape", "visual", "compound_part", "material", "pair"}) add(name);
  const Spec& joint = format.definitions.at("joint");
  reference.add_part("joint", "`kind` decides which further keys a joint has.", joint.fields);
  for (const Variant& kind : joint.variants) {
    reference.add_part(fmt::format("joint of kind {}", kind.word), kind.meaning, kind.fields);
  }
  for (const char* name : {"joint_axis", "coupling"}) add(name);
  const Spec& sensor = format.definitions.at("sensor");
  reference.add_part("sensor", "`kind` decides which further keys a sensor has.", sensor.fields);
  for (const Variant& kind : sensor.variants) {
    reference.add_part(fmt::format("sensor of kind {}", kind.word), kind.meaning, kind.fields);
  }
  for (const char* name : {"script", "trigger", "rule"}) add(name);
  reference.add_part("method",
                     "A name, or a mapping with `name`, `impact`, `solver` and the options of the method. "
                     "`achilles methods` prints them all with range, default and meaning.",
                     {});
  return reference.take();
}

}  // namespace achilles::scene_file
