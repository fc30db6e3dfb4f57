// What there is: tables of methods, shapes, joints, solvers and impact laws.
#include "commands.hpp"

#include <achilles/scene.hpp>

#include "impact/impact_law.hpp"
#include "methods/capabilities.hpp"
#include "scene/format/format.hpp"
#include "solver/solver.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace achilles::program {
namespace {

struct ShowValue {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(double value) const { return fmt::format("{:g}", value); }
  std::string operator()(const std::string& value) const { return value; }
};

std::string join(const std::vector<std::string_view>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

void print_capabilities(const Capabilities& capabilities) {
  std::vector<std::string_view> can, cannot;
  for (const CapabilityInfo& info : capability_infos()) {
    (capabilities.*info.flag ? can : cannot).push_back(info.words);
  }
  fmt::print("  has      {}\n  has no   {}\n", join(can), join(cannot));
}

void print_method(const MethodSpec& method) {
  fmt::print("{}: {} [{}]\n", method.name, method.summary, method.source);
  print_capabilities(method.capabilities);
  if (!method.solvers.empty()) fmt::print("  solvers  {}\n", join(method.solvers));
  if (!method.impact_laws.empty()) fmt::print("  impacts  {}\n", join(method.impact_laws));
  const std::string_view solver = method.solvers.empty() ? std::string_view() : method.solvers.front();
  for (const OptionInfo& option : method.options) {
    const bool applies = option.solvers.empty() ||
                         std::find(option.solvers.begin(), option.solvers.end(), solver) != option.solvers.end();
    if (!applies) continue;
    fmt::print("  {:<22} {:<14} {}\n", option.name, std::visit(ShowValue{}, option.standard), option.meaning);
    if (!option.words.empty()) fmt::print("  {:<22} {:<14} one of: {}\n", "", "", join(option.words));
  }
  for (const MethodVariant& variant : method.variants) {
    fmt::print("with {}: {}\n", variant.option, variant.word);
    print_capabilities(variant.capabilities);
    fmt::print("  options  {}\n", join(variant.options));
  }
  if (!solver.empty()) fmt::print("options of other solvers than {}: achilles solvers NAME\n", solver);
}

void print_fields(const std::vector<scene_file::Field>& fields) {
  for (const scene_file::Field& field : fields) {
    fmt::print("  {:<14} {}{}{}\n", field.name, field.meaning, field.required ? " Required." : "",
               field.standard.empty() ? "" : fmt::format(" Default: {}.", field.standard));
    fmt::print("  {:<14} {}\n", "", describe(field.spec, scene_file::scene_format()));
  }
}

}  // namespace

int list_methods(const std::string& name) {
  if (name.empty()) {
    for (const MethodSpec& method : method_specs()) {
      fmt::print("{:<21} {} [{}]\n", method.name, method.summary, method.source);
    }
    return kDone;
  }
  const MethodSpec* method = find_method(name);
  if (method == nullptr) throw BadInput(fmt::format("there is no method '{}'; 'achilles methods' lists them", name));
  print_method(*method);
  return kDone;
}

int list_shapes(const std::string& name) {
  const scene_file::Spec shapes = scene_file::shape_spec();
  for (const scene_file::Field& shape : shapes.fields) {
    if (name.empty()) fmt::print("{:<14} {}\n", shape.name, shape.meaning);
    if (name != shape.name) continue;
    fmt::print("{}: {}\n", shape.name, shape.meaning);
    print_fields(shape.spec.fields);
    return kDone;
  }
  if (!name.empty()) throw BadInput(fmt::format("there is no shape '{}'; 'achilles shapes' lists them", name));
  return kDone;
}

int list_joints(const std::string& name) {
  const scene_file::Spec joints = scene_file::joint_spec();
  if (name.empty()) {
    for (const scene_file::Variant& joint : joints.variants) fmt::print("{:<14} {}\n", joint.word, joint.meaning);
    return kDone;
  }
  const scene_file::Variant* joint = scene_file::find_variant(joints, name);
  if (joint == nullptr) throw BadInput(fmt::format("there is no joint '{}'; 'achilles joints' lists them", name));
  fmt::print("{}: {}\n", joint->word, joint->meaning);
  print_fields(joint->fields);
  print_fields(joints.fields);
  return kDone;
}

int list_solvers(const std::string& name) {
  for (const SolverInfo& solver : solver_infos()) {
    if (name.empty()) fmt::print("{:<14} {} [{}]\n", solver.name, solver.summary, solver.source);
    if (name != solver.name) continue;
    fmt::print("{}: {} [{}]\n", solver.name, solver.summary, solver.source);
    for (const SolverOptionInfo& option : solver.options) {
      fmt::print("  {:<22} {:<14} {}\n", option.name, std::visit(ShowValue{}, option.standard), option.meaning);
      if (!option.words.empty()) fmt::print("  {:<22} {:<14} one of: {}\n", "", "", join(option.words));
    }
    fmt::print("defaults of 'achilles solve'; those under a method: achilles methods NAME\n");
    return kDone;
  }
  if (!name.empty()) throw BadInput(fmt::format("there is no solver '{}'; 'achilles solvers' lists them", name));
  return kDone;
}

int list_impacts() {
  for (const ImpactInfo& info : impact_infos()) fmt::print("{:<22} {} [{}]\n", info.name, info.promise, info.source);
  return kDone;
}

int print_schema() {
  fmt::print("{}\n", scene_schema());
  return kDone;
}

}  // namespace achilles::program
