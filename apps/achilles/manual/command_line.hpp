// The command line as data, read back from what describes it to the parser: completions and manuals are made of this.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace achilles::program {

/// What a word on the command line stands for, so that shells can complete it.
enum class WordKind { kAny, kFile, kScene, kRecording, kMethod, kMethods, kSolver, kShape, kJoint };

struct OptionText {
  std::vector<std::string> names;  // "--method", "-m"; empty: positional
  std::string value;               // what follows: "TEXT", "PATH=VALUE"; empty: a flag
  std::string meaning;
  WordKind kind = WordKind::kAny;
  bool required = false;
};

struct CommandText {
  std::string name;
  std::string meaning;
  std::vector<OptionText> positionals;
  std::vector<OptionText> options;
};

/// All commands in the order of the help, each with its options, help included.
[[nodiscard]] std::vector<CommandText> read_command_line(const CLI::App& app);

/// Words that may stand for this kind; empty for kinds that are files or anything.
[[nodiscard]] std::vector<std::string> list_words(WordKind kind);

[[nodiscard]] std::string write_bash(const std::vector<CommandText>& commands);
[[nodiscard]] std::string write_zsh(const std::vector<CommandText>& commands);
[[nodiscard]] std::string write_fish(const std::vector<CommandText>& commands);
/// A manual page (section 1) of the program, and one of a command.
[[nodiscard]] std::string write_man_page(const std::vector<CommandText>& commands, const std::string& version);
[[nodiscard]] std::string write_man_page(const CommandText& command, const std::string& version);
[[nodiscard]] std::string write_markdown(const std::vector<CommandText>& commands);

}  // namespace achilles::program
