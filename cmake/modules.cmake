# One object library per module, in dependency order; together they are the library achilles::achilles.
# A module may include from every module to its left; `uses_<module>` is what it does include, so that a test of one
# module links no more than that.
set(ACHILLES_MODULES platform math parallel geometry collision graph world constraint solver impact motion stepping methods scene
                     record api)
set(uses_platform)
set(uses_math platform)
set(uses_parallel platform math)
set(uses_geometry platform math parallel)
set(uses_collision ${uses_geometry} geometry)
set(uses_graph platform math parallel)
set(uses_world ${uses_collision} collision graph)
set(uses_constraint ${uses_world} world)
set(uses_solver platform math parallel)
set(uses_impact ${uses_solver} solver)
set(uses_motion ${uses_constraint})
set(uses_stepping ${uses_motion} constraint solver impact motion)
set(uses_methods ${uses_stepping} stepping)
set(uses_scene ${uses_methods} methods)
set(uses_record ${uses_scene} scene)
set(uses_api ${uses_record} record)
set(uses_live ${uses_api} api)
if(ACHILLES_BUILD_PROGRAM)
  list(APPEND ACHILLES_MODULES live)  # needs Boost
endif()

# The list of methods: each folder of src/methods with a spec.cpp, which defines `std::vector<MethodSpec> <folder>_specs()`.
file(GLOB method_specs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/methods/*/spec.cpp)
set(declarations "")
set(names "")
foreach(spec IN LISTS method_specs)
  get_filename_component(folder ${spec} DIRECTORY)
  get_filename_component(folder ${folder} NAME)
  string(APPEND declarations "std::vector<MethodSpec> ${folder}_specs();\n")
  list(APPEND names ${folder}_specs)
endforeach()
list(JOIN names ", " names)
set(ACHILLES_METHOD_LIST ${PROJECT_BINARY_DIR}/generated/method_list.cpp)
file(CONFIGURE OUTPUT ${ACHILLES_METHOD_LIST} @ONLY CONTENT [[
#include "methods/method_spec.hpp"

namespace achilles {

@declarations@
std::vector<MethodSpec> list_method_specs();
std::vector<MethodSpec> list_method_specs() {
  std::vector<MethodSpec> all;
  for (std::vector<MethodSpec> (*list)() : {@names@}) {
    for (MethodSpec& spec : list()) all.push_back(std::move(spec));
  }
  return all;
}

}  // namespace achilles
]])

# Where an installed library finds its data. No part of a library that another project builds as its own is installed.
file(RELATIVE_PATH ACHILLES_DATA_FROM_LIBRARY ${CMAKE_INSTALL_FULL_LIBDIR} ${CMAKE_INSTALL_FULL_DATADIR}/achilles)
set(ACHILLES_SOURCE_TREE "")
if(NOT PROJECT_IS_TOP_LEVEL)
  set(ACHILLES_SOURCE_TREE ${PROJECT_SOURCE_DIR})
elseif(NOT PROJECT_BINARY_DIR STREQUAL PROJECT_SOURCE_DIR)
  # Programs of a build find the data wherever the build is.
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/viewer/dist)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/viewer/dist/template.html ${PROJECT_BINARY_DIR}/viewer/dist/template.html SYMBOLIC)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/scenes ${PROJECT_BINARY_DIR}/scenes SYMBOLIC)
endif()

# achilles_write_install_paths(source data_folder): defines kInstallPaths of record/program_data.hpp.
function(achilles_write_install_paths source data_folder)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
#include "record/program_data.hpp"

namespace achilles {

const InstallPaths kInstallPaths{"@data_folder@", "@ACHILLES_DATA_FROM_LIBRARY@", "@ACHILLES_SOURCE_TREE@"};

}  // namespace achilles
]])
endfunction()
set(ACHILLES_INSTALL_PATHS ${PROJECT_BINARY_DIR}/generated/install_paths.cpp)
achilles_write_install_paths(${ACHILLES_INSTALL_PATHS} ${CMAKE_INSTALL_FULL_DATADIR}/achilles)

# achilles_unite_folders(result base sources...): what to compile for these sources. With ACHILLES_UNITY the sources of a
# folder are one translation unit, so that headers are read once per folder; names in anonymous namespaces are therefore
# unique within a folder (tests/style checks that). Kernels that Highway compiles once per instruction set stay on their
# own. The units name their sources relative to `base`, so that a compiler cache serves every copy of the tree.
function(achilles_unite_folders result base)
  if(NOT ACHILLES_UNITY)
    set(${result} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(units)
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} kernel REGEX "HWY_TARGET_INCLUDE" LIMIT_COUNT 1)
    if(kernel)
      list(APPEND units ${source})
      continue()
    endif()
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${base})
    string(MAKE_C_IDENTIFIER ${folder} name)
    set(unit ${PROJECT_BINARY_DIR}/united/${name}.cpp)
    list(APPEND units ${unit})
    string(APPEND text_${name} "#include \"${source}\"\n")
    set(text_of_${unit} ${text_${name}})
  endforeach()
  list(REMOVE_DUPLICATES units)
  foreach(unit IN LISTS units)
    if(DEFINED text_of_${unit})
      file(CONFIGURE OUTPUT ${unit} CONTENT "${text_of_${unit}}" @ONLY)  # left alone when nothing changed
    endif()
  endforeach()
  set(${result} ${units} PARENT_SCOPE)
endfunction()

set(ACHILLES_PRIVATE_LIBRARIES
    Threads::Threads fmt::fmt yaml-cpp nlohmann_json::nlohmann_json Qhull::qhull_r hdf5::hdf5
    ZLIB::ZLIB tinyxml2::tinyxml2)

# Eigen aligns a quaternion to 32 bytes where -mavx is given and to 16 elsewhere. Public types must not depend on that.
set(ACHILLES_ALIGNMENT EIGEN_MAX_ALIGN_BYTES=16)

add_library(achilles)
add_library(achilles::achilles ALIAS achilles)
if(ACHILLES_SANITIZE) # what links an instrumented library needs the sanitizers' run time
  target_compile_options(achilles INTERFACE $<BUILD_INTERFACE:-fsanitize=${ACHILLES_SANITIZE}>)
  target_link_options(achilles INTERFACE $<BUILD_INTERFACE:-fsanitize=${ACHILLES_SANITIZE}>)
endif()
target_include_directories(achilles PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
target_compile_features(achilles PUBLIC cxx_std_20)
target_compile_definitions(achilles PUBLIC ${ACHILLES_ALIGNMENT})
# Before 1.0 a minor version may change the interface.
set_target_properties(achilles PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
# Whoever links a static library links what it stands on; a shared one brings that along.
target_link_libraries(achilles PUBLIC Eigen3::Eigen)
foreach(library IN ITEMS ${ACHILLES_PRIVATE_LIBRARIES} hwy::hwy)
  if(BUILD_SHARED_LIBS)
    target_link_libraries(achilles PRIVATE $<BUILD_INTERFACE:${library}>)
  else()
    target_link_libraries(achilles PRIVATE ${library})
  endif()
endforeach()

foreach(module IN LISTS ACHILLES_MODULES)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${module}/*.cpp)
  if(NOT sources)
    continue()  # headers alone
  endif()
  achilles_unite_folders(units ${PROJECT_SOURCE_DIR}/src ${sources})
  if(module STREQUAL methods)
    list(APPEND units ${ACHILLES_METHOD_LIST})
  elseif(module STREQUAL record)
    list(APPEND units ${ACHILLES_INSTALL_PATHS})
  endif()
  add_library(achilles_${module} OBJECT ${units})
  target_include_directories(achilles_${module} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(achilles_${module} PUBLIC ${ACHILLES_ALIGNMENT} PRIVATE ACHILLES_VERSION="${PROJECT_VERSION}")
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

if(ACHILLES_PORTABLE)
  target_compile_definitions(achilles_platform PRIVATE ACHILLES_PORTABLE)
endif()

# Wide lanes: where collision detection and the throughput method spend their time.
target_link_libraries(achilles_collision INTERFACE $<LINK_ONLY:hwy::hwy>)
target_link_libraries(achilles_methods PRIVATE hwy::hwy)
if(TARGET achilles_live)
  target_link_libraries(achilles_live PRIVATE Boost::headers)
endif()
if(ACHILLES_SANITIZE MATCHES "undefined")
  # Checks of every pointer in emulated lanes take clang minutes to compile; AddressSanitizer sees bad addresses anyway.
  file(GLOB kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/methods/soft_step/*_kernels.cpp)
  set_source_files_properties(${kernels} PROPERTIES COMPILE_OPTIONS
                              "-fno-sanitize=null,alignment,pointer-overflow,object-size")
endif()
