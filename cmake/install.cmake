# Installs the library, its headers, the program and a CMake package, so that find_package(achilles) gives achilles::achilles.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(ACHILLES_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/achilles)

install(TARGETS achilles EXPORT achillesTargets)
install(TARGETS achilles_program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/achilles DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(EXPORT achillesTargets NAMESPACE achilles:: DESTINATION ${ACHILLES_PACKAGE_DIR})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/achillesConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/achillesConfig.cmake INSTALL_DESTINATION ${ACHILLES_PACKAGE_DIR})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/achillesConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/achillesConfig.cmake ${PROJECT_BINARY_DIR}/achillesConfigVersion.cmake
        DESTINATION ${ACHILLES_PACKAGE_DIR})
