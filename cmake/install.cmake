# Installs the library, its headers, the program and a CMake package, so that find_package(achilles) gives achilles::achilles.
include(CMakePackageConfigHelpers)
set(ACHILLES_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/achilles)

install(TARGETS achilles EXPORT achillesTargets
        LIBRARY COMPONENT library NAMELINK_COMPONENT development
        ARCHIVE COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/achilles DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT achillesTargets NAMESPACE achilles:: DESTINATION ${ACHILLES_PACKAGE_DIR} COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT library)
# The library and the program both need these.
install(FILES ${PROJECT_SOURCE_DIR}/viewer/dist/template.html DESTINATION ${CMAKE_INSTALL_DATADIR}/achilles COMPONENT data)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes ${PROJECT_SOURCE_DIR}/examples/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/achilles
        COMPONENT data)
if(ACHILLES_BUILD_PROGRAM)
  install(TARGETS achilles_program COMPONENT program)
  # Absent where only the program was built.
  set(manual ${PROJECT_BINARY_DIR}/manual)
  install(FILES ${manual}/achilles.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME achilles
          COMPONENT program OPTIONAL)
  install(FILES ${manual}/_achilles DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program OPTIONAL)
  install(FILES ${manual}/achilles.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program
          OPTIONAL)
  install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program OPTIONAL)
endif()

# For builds without CMake: a shared library needs Eigen alone, a static one all it stands on.
set(ACHILLES_PC_REQUIRES eigen3)
set(ACHILLES_PC_LIBRARIES -lachilles)
if(NOT BUILD_SHARED_LIBS)
  string(APPEND ACHILLES_PC_REQUIRES " fmt yaml-cpp tinyxml2 hdf5 qhull_r libhwy zlib")
  string(APPEND ACHILLES_PC_LIBRARIES " -pthread")
endif()
file(RELATIVE_PATH ACHILLES_PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/achilles.pc.in ${PROJECT_BINARY_DIR}/achilles.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/achilles.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/achillesConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/achillesConfig.cmake INSTALL_DESTINATION ${ACHILLES_PACKAGE_DIR})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/achillesConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/achillesConfig.cmake ${PROJECT_BINARY_DIR}/achillesConfigVersion.cmake
        DESTINATION ${ACHILLES_PACKAGE_DIR} COMPONENT development)
