// Completions for bash, zsh and fish.
#include "manual/command_line.hpp"

#include <fmt/format.h>

namespace achilles::program {
namespace {

std::string join_words(const std::vector<std::string>& words, const char* separator = " ") {
  return fmt::format("{}", fmt::join(words, separator));
}

/// In single quotes of a shell.
std::string quote(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string names_of_commands(const std::vector<CommandText>& commands) {
  std::vector<std::string> names;
  for (const CommandText& command : commands) names.push_back(command.name);
  return join_words(names);
}

/// What bash offers for a word: names, or files by their ending.
std::string write_bash_offer(WordKind kind) {
  switch (kind) {
    case WordKind::kScene:
      return "_achilles_files yaml";
    case WordKind::kRecording:
      return "_achilles_files h5";
    case WordKind::kAny:
      return "COMPREPLY=()";
    case WordKind::kFile:
      return "COMPREPLY=($(compgen -f -- \"$word\"))";
    default:
      return fmt::format("COMPREPLY=($(compgen -W {} -- \"$word\"))", quote(join_words(list_words(kind))));
  }
}

/// `_arguments` takes brackets and colons for its own.
std::string escape_zsh(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string write_zsh_offer(WordKind kind) {
  switch (kind) {
    case WordKind::kScene:
      return "_files -g \"*.(yaml|yml|json)\"";
    case WordKind::kRecording:
      return "_files -g \"*.h5\"";
    case WordKind::kAny:
      return " ";
    case WordKind::kFile:
      return "_files";
    default:
      return "(" + join_words(list_words(kind)) + ")";
  }
}

std::string write_zsh_option(const OptionText& option) {
  const std::string argument =
      option.value.empty() ? "" : ":" + escape_zsh(option.value) + ":" + write_zsh_offer(option.kind);
  std::string text;
  for (const std::string& name : option.names) {
    text += " \\\n        " + quote(fmt::format("*{}[{}]{}", name, escape_zsh(option.meaning), argument));
  }
  return text;
}

}  // namespace

std::string write_bash(const std::vector<CommandText>& commands) {
  std::string text = R"(# bash completion for achilles. Made by: achilles manual bash
_achilles_files() {
  local file
  COMPREPLY=($(compgen -d -- "$word"))
  while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -X "!*.$1" -- "$word")
}

_achilles() {
  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD - 1]}" options=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
)";
  text += fmt::format("    COMPREPLY=($(compgen -W '{} --help --version' -- \"$word\"))\n    return\n  fi\n",
                      names_of_commands(commands));
  text += "  case \"${COMP_WORDS[1]} $before\" in\n";
  std::string cases;
  for (const CommandText& command : commands) {
    for (const OptionText& option : command.options) {
      if (option.value.empty()) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : option.names) patterns.push_back(quote(command.name + " " + name));
      cases += fmt::format("    {}) {}; return ;;\n", join_words(patterns, " | "), write_bash_offer(option.kind));
    }
  }
  text += cases + "  esac\n  case \"${COMP_WORDS[1]}\" in\n";
  for (const CommandText& command : commands) {
    std::vector<std::string> names;
    for (const OptionText& option : command.options)
      names.insert(names.end(), option.names.begin(), option.names.end());
    const WordKind kind = command.positionals.empty() ? WordKind::kAny : command.positionals.front().kind;
    text += fmt::format("    {}) options={}; {} ;;\n", command.name, quote(join_words(names)), write_bash_offer(kind));
  }
  text += R"(  esac
  case "$word" in -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;; esac
}
complete -o filenames -F _achilles achilles
)";
  return text;
}

std::string write_zsh(const std::vector<CommandText>& commands) {
  std::string text = "#compdef achilles\n# zsh completion for achilles. Made by: achilles manual zsh\n_achilles() {\n";
  text += "  local -a commands=(\n";
  for (const CommandText& command : commands) {
    text += "    " + quote(command.name + ":" + escape_zsh(command.meaning)) + "\n";
  }
  text += "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n";
  text += "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const CommandText& command : commands) {
    text += fmt::format("    {})\n      _arguments -s", command.name);
    for (const OptionText& option : command.options) text += write_zsh_option(option);
    for (const OptionText& word : command.positionals) {
      text += " \\\n        " + quote(fmt::format("*:{}:{}", escape_zsh(word.value), write_zsh_offer(word.kind)));
      break;  // those that follow the first are files of the same kind or outputs
    }
    text += " ;;\n";
  }
  return text + "  esac\n}\n_achilles \"$@\"\n";
}

std::string write_fish(const std::vector<CommandText>& commands) {
  std::string text = "# fish completion for achilles. Made by: achilles manual fish\n";
  for (const CommandText& command : commands) {
    text += fmt::format("complete -c achilles -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                        quote(command.meaning));
    const std::string where = fmt::format("complete -c achilles -n '__fish_seen_subcommand_from {}'", command.name);
    const auto offer = [](WordKind kind) {
      const std::vector<std::string> words = list_words(kind);
      return words.empty() ? std::string() : " -f -a " + quote(join_words(words));
    };
    for (const OptionText& option : command.options) {
      text += where;
      for (const std::string& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      text += fmt::format("{}{} -d {}\n", option.value.empty() ? "" : " -r", offer(option.kind), quote(option.meaning));
    }
    if (!command.positionals.empty() && !list_words(command.positionals.front().kind).empty()) {
      text += where + offer(command.positionals.front().kind) + "\n";
    }
  }
  return text;
}

}  // namespace achilles::program
