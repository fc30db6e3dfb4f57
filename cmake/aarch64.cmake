# 64-bit ARM from another machine, with Debian's cross compiler and the libraries of its architecture arm64; scripts/cross
# uses it. Programs of the build run in an emulator.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
# The wrapper h5cc of Debian belongs to the machine's own architecture: the libraries are named here.
set(HDF5_DIR HDF5_DIR-NOTFOUND CACHE PATH "")
set(HDF5_C_INCLUDE_DIR /usr/include/hdf5/serial CACHE PATH "")
set(HDF5_hdf5_LIBRARY_RELEASE /usr/lib/aarch64-linux-gnu/libhdf5_serial.so CACHE FILEPATH "")
