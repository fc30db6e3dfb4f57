// `achilles manual`: completions and manual pages, made of the parser's own definitions.
#include "commands.hpp"
#include "manual/command_line.hpp"

#include <achilles/simulation.hpp>

#include "record/output_file.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>

namespace achilles::program {
namespace {

struct ManualArguments {
  std::string format;
  std::string folder;  // of man pages
};

int write_manual(const CLI::App& app, const ManualArguments& arguments) {
  const std::vector<CommandText> commands = read_command_line(app);
  const std::string version(achilles::version());
  if (arguments.format == "bash") fmt::print("{}", write_bash(commands));
  if (arguments.format == "zsh") fmt::print("{}", write_zsh(commands));
  if (arguments.format == "fish") fmt::print("{}", write_fish(commands));
  if (arguments.format == "markdown") fmt::print("{}", write_markdown(commands));
  if (arguments.format != "man") return kDone;
  if (arguments.folder.empty()) {
    fmt::print("{}", write_man_page(commands, version));
    return kDone;
  }
  const std::filesystem::path folder = arguments.folder;
  std::filesystem::create_directories(folder);
  replace_file((folder / "achilles.1").string(), write_man_page(commands, version));
  for (const CommandText& command : commands) {
    replace_file((folder / fmt::format("achilles-{}.1", command.name)).string(), write_man_page(command, version));
  }
  return kDone;
}

}  // namespace

void describe_manual(CLI::App& app, std::function<int()>& chosen) {
  const auto arguments = std::make_shared<ManualArguments>();
  CLI::App* command = app.add_subcommand("manual", "Print completions for a shell, or the manual");
  command->add_option("FORMAT", arguments->format, "bash, zsh or fish: completions; man or markdown: the manual")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish", "man", "markdown"}));
  command->add_option("--output,-o", arguments->folder, "Folder for one manual page per command (man)");
  command->callback(
      [arguments, &app, &chosen] { chosen = [arguments, &app] { return write_manual(app, *arguments); }; });
}

}  // namespace achilles::program
