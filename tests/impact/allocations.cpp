// The counter of the whole-simulation tests, in this program too.
#include "physics/allocations.cpp"
