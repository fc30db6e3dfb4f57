#include <achilles/simulation.hpp>

#include <iostream>

int main() {
  std::cout << "achilles " << achilles::version() << '\n';
  return achilles::version().empty() ? 1 : 0;
}
