add_library(achilles_flags INTERFACE)
target_compile_options(achilles_flags INTERFACE -Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Woverloaded-virtual)
# Files of one translation unit see each other's names, and g++ takes all but the first for headers.
if(NOT ACHILLES_UNITY)
  target_compile_options(achilles_flags INTERFACE -Wshadow)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(achilles_flags INTERFACE -Wshadow=local -Wno-subobject-linkage)
endif()
if(ACHILLES_WARNINGS_AS_ERRORS)
  target_compile_options(achilles_flags INTERFACE -Werror)
endif()
# The same source gives the same bits with every compiler and processor: no contraction into fused operations.
target_compile_options(achilles_flags INTERFACE -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False positives of g++ 12 inside Eigen's fixed-size loops once everything is inlined.
  target_compile_options(achilles_flags INTERFACE -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overread
                                                  -Wno-stringop-overflow)
endif()
if(ACHILLES_CHECKS)
  target_compile_definitions(achilles_flags INTERFACE ACHILLES_CHECKS)
endif()
if(ACHILLES_SANITIZE)
  target_compile_options(achilles_flags INTERFACE -fsanitize=${ACHILLES_SANITIZE} -fno-omit-frame-pointer
                                                  -fno-sanitize-recover=all)
  target_link_options(achilles_flags INTERFACE -fsanitize=${ACHILLES_SANITIZE})
endif()
