// The narrow phase over all pairs that the broad phase found.
#pragma once

#include "collision/detect_workspace.hpp"

namespace achilles {

/// Contacts of the pairs in the workspace, in their order, whatever the threads. `kept` receives what the next call may
/// keep and is to be the next memory where the answer is true; `reused` counts the pairs whose contact was.
[[nodiscard]] bool find_contacts_of_pairs(std::span<const Collider> colliders, const DetectOptions& options,
                                          const ManifoldReuse* reuse, DetectWorkspace::Impl& impl, ContactSet& contacts,
                                          ManifoldMemory& kept, std::size_t& reused);

}  // namespace achilles
