// Comparing a tree with the format.
#pragma once

#include "scene/complaints.hpp"
#include "scene/format/spec.hpp"
#include "scene/yaml/node.hpp"

namespace achilles::scene_file {

/// Complains about every key that is unknown, missing or in conflict and every value of the wrong type or out of range.
/// Values that cannot be used are marked bad, so that what is left can still be checked further.
void check_tree(Node& root, const Format& format, Complaints& complaints);

/// Which of the alternatives a node means, judged by its kind; nullptr when none fits.
[[nodiscard]] const Spec* choose(const Node& node, const Spec& either, const Format& format);

/// The fields a mapping may have: its own, and for a tagged one those of its variant (the standard one's where the tag
/// is missing or unknown).
[[nodiscard]] std::vector<const Field*> allowed_fields(const Node& node, const Spec& spec);

}  // namespace achilles::scene_file
