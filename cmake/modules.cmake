# One object library per module, in dependency order; together they are the library achilles::achilles.
# A module may include from every module to its left; `uses_<module>` is what it does include, so that a test of one
# module links no more than that.
set(ACHILLES_MODULES math geometry collision graph world constraint solver impact motion time_control scene record api)
set(uses_math)
set(uses_geometry math)
set(uses_collision math geometry)
set(uses_graph math)
set(uses_world math geometry collision graph)
set(uses_constraint ${uses_world} world)
set(uses_solver math)
set(uses_impact math solver)
set(uses_motion ${uses_constraint})
set(uses_time_control ${uses_motion} constraint solver impact motion)
set(uses_scene ${uses_time_control} time_control)
set(uses_record ${uses_scene} scene)
set(uses_api ${uses_record} record)

set(ACHILLES_PRIVATE_LIBRARIES Threads::Threads fmt::fmt yaml-cpp nlohmann_json::nlohmann_json Qhull::qhull_r
                               tinyobjloader::tinyobjloader hdf5::hdf5)

add_library(achilles)
add_library(achilles::achilles ALIAS achilles)
target_include_directories(achilles PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
target_compile_features(achilles PUBLIC cxx_std_20)
target_link_libraries(achilles PUBLIC Eigen3::Eigen PRIVATE ${ACHILLES_PRIVATE_LIBRARIES})

foreach(module IN LISTS ACHILLES_MODULES)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${module}/*.cpp)
  if(NOT sources)
    continue()  # headers alone
  endif()
  add_library(achilles_${module} OBJECT ${sources})
  target_include_directories(achilles_${module} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(achilles_${module} PRIVATE ACHILLES_VERSION="${PROJECT_VERSION}")
  target_link_libraries(achilles_${module} PUBLIC Eigen3::Eigen ${ACHILLES_PRIVATE_LIBRARIES} PRIVATE achilles_flags)
  target_sources(achilles PRIVATE $<TARGET_OBJECTS:achilles_${module}>)
endforeach()

# achilles_link_modules(target module): links a module and all it uses.
function(achilles_link_modules target module)
  foreach(name IN ITEMS ${uses_${module}} ${module})
    if(TARGET achilles_${name})
      target_link_libraries(${target} PRIVATE achilles_${name})
    endif()
  endforeach()
  target_link_libraries(${target} PRIVATE achilles_flags)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
endfunction()

# Wide lanes: where collision detection and the throughput method spend their time.
target_link_libraries(achilles_collision INTERFACE $<LINK_ONLY:hwy::hwy>)
target_link_libraries(achilles_time_control PRIVATE hwy::hwy)
target_link_libraries(achilles PRIVATE hwy::hwy)
if(ACHILLES_SANITIZE MATCHES "undefined")
  # Checks of every pointer in emulated lanes take clang minutes to compile; AddressSanitizer sees bad addresses anyway.
  file(GLOB kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/time_control/soft_step/*_kernels.cpp)
  set_source_files_properties(${kernels} PROPERTIES COMPILE_OPTIONS
                              "-fno-sanitize=null,alignment,pointer-overflow,object-size")
endif()
