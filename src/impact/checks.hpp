// Whether physics is checked while it is computed: in debug builds, and where ACHILLES_CHECKS is defined.
#pragma once

namespace achilles {

#if defined(ACHILLES_CHECKS) || !defined(NDEBUG)
inline constexpr bool kCheckPhysics = true;
#else
inline constexpr bool kCheckPhysics = false;
#endif

}  // namespace achilles
