// Manual pages (roff) and the reference of commands (Markdown).
#include "manual/command_line.hpp"

#include <fmt/format.h>

namespace achilles::program {
namespace {

/// Text as roff takes it: a minus is a minus, a line does not begin with a dot.
std::string escape_roff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  return escaped.starts_with('.') || escaped.starts_with('\'') ? "\\&" + escaped : escaped;
}

std::string write_head(const std::string& title, const std::string& name, const std::string& meaning,
                       const std::string& version) {
  std::string upper;
  for (const char c : title) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format(".TH {} 1 \"\" \"Achilles {}\" \"Achilles\"\n.SH NAME\n{} \\- {}\n", escape_roff(upper), version,
                     escape_roff(name), escape_roff(meaning));
}

std::string write_synopsis(const CommandText& command) {
  std::string text = fmt::format(".B achilles {}\n[\\fIOPTIONS\\fR]", escape_roff(command.name));
  for (const OptionText& word : command.positionals) {
    const std::string value = "\\fI" + escape_roff(word.value) + "\\fR";
    text += word.required ? " " + value : " [" + value + "]";
  }
  return text + "\n";
}

std::string write_roff_option(const OptionText& option) {
  std::string text = ".TP\n";
  const char* comma = "";
  for (const std::string& name : option.names) {
    text += fmt::format("{}\\fB{}\\fR", comma, escape_roff(name));
    comma = ", ";
  }
  if (!option.value.empty()) text += (option.names.empty() ? "\\fI" : " \\fI") + escape_roff(option.value) + "\\fR";
  return text + "\n" + escape_roff(option.meaning) + "\n";
}

std::string escape_cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

constexpr const char* kStatus =
    ".SH EXIT STATUS\n0 done, 1 failed, 2 the input is bad, 3 the simulation stopped itself and gave the reason.\n";

}  // namespace

std::string write_man_page(const std::vector<CommandText>& commands, const std::string& version) {
  std::string text =
      write_head("achilles", "achilles", "rigid bodies in contact, sixteen methods on one scene", version);
  text += ".SH SYNOPSIS\n.B achilles\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n";
  text += "Achilles simulates rigid bodies in contact and reports, for every run, how accurate it was and how fast.\n";
  text += "Each command has a page of its own, such as \\fBachilles\\-run\\fR(1).\n.SH COMMANDS\n";
  for (const CommandText& command : commands) {
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", escape_roff(command.name), escape_roff(command.meaning));
  }
  return text + kStatus;
}

std::string write_man_page(const CommandText& command, const std::string& version) {
  const std::string name = "achilles-" + command.name;
  std::string text = write_head(name, name, command.meaning, version);
  text += ".SH SYNOPSIS\n" + write_synopsis(command) + ".SH OPTIONS\n";
  for (const OptionText& word : command.positionals) text += write_roff_option(word);
  for (const OptionText& option : command.options) text += write_roff_option(option);
  return text + kStatus + ".SH SEE ALSO\n.BR achilles (1)\n";
}

std::string write_markdown(const std::vector<CommandText>& commands) {
  std::string text;
  for (const CommandText& command : commands) {
    text += fmt::format("\n## {}\n\n{}.\n\n```\nachilles {} [OPTIONS]", command.name, command.meaning, command.name);
    for (const OptionText& word : command.positionals) {
      text += word.required ? " " + word.value : " [" + word.value + "]";
    }
    text += "\n```\n\n| option | meaning |\n|---|---|\n";
    const auto add = [&text](const OptionText& option) {
      const std::string names = fmt::format("{}", fmt::join(option.names, ", "));
      const char* space = names.empty() || option.value.empty() ? "" : " ";
      text += fmt::format("| `{}{}{}` | {} |\n", names, space, option.value, escape_cell(option.meaning));
    };
    for (const OptionText& word : command.positionals) add(word);
    for (const OptionText& option : command.options) add(option);
  }
  return text;
}

}  // namespace achilles::program
