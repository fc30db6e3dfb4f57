// Prints the path of the template of pages, or nothing where it is not found.
#include "record/program_data.hpp"

#include <iostream>

int main() {
  const auto found = achilles::find_program_data("template.html", "viewer/dist/template.html");
  if (found) std::cout << found->string() << '\n';
  return found ? 0 : 1;
}
