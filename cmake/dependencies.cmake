# Everything comes from Debian 12 packages; the file `packages.txt` lists them and the scripts install them.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(Qhull REQUIRED)
find_package(CLI11 REQUIRED)
find_package(hwy REQUIRED)
find_package(tinyobjloader REQUIRED)
find_package(Boost 1.81 REQUIRED)  # headers alone: the server of the live page
