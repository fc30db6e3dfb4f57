#include <string_view>

namespace achilles {

std::string_view version() { return ACHILLES_VERSION; }

}  // namespace achilles
