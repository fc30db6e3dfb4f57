// Many runs of one scene. The Python package does the work (python/achilles/studies); these commands hand over to it.
#include "commands.hpp"

#include "platform/system.hpp"
#include "record/program_data.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <utility>

namespace achilles::program {
namespace {

/// One option that is passed on as it was written.
struct PassedOption {
  std::string name;  // "--output"; empty: positional words
  std::vector<std::string> values;
  bool is_flag = false;
};

struct StudyRequest {
  std::string command;
  std::vector<std::unique_ptr<PassedOption>> options;  // stable addresses: the command line writes to them

  CLI::Option* add(CLI::App& app, const std::string& names, const std::string& help) {
    PassedOption& option = *options.emplace_back(std::make_unique<PassedOption>());
    if (names.front() == '-') option.name = names.substr(0, names.find(','));
    return app.add_option(names, option.values, help);
  }
  void add_flag(CLI::App& app, const std::string& names, const std::string& help) {
    PassedOption& option = *options.emplace_back(std::make_unique<PassedOption>());
    option.name = names.substr(0, names.find(','));
    option.is_flag = true;
    app.add_flag_callback(
        names, [&option] { option.values.emplace_back(); }, help);
  }

  [[nodiscard]] std::vector<std::string> list_words() const {
    std::vector<std::string> words;
    for (const auto& option : options) {
      if (option->name.empty()) words.insert(words.end(), option->values.begin(), option->values.end());
    }
    // `achilles sweep show FOLDER` is the command `show` of the package.
    const bool is_named = !words.empty() && (words.front() == "show" || words.front() == "replay");
    if (command != "sweep" || !is_named) words.insert(words.begin(), command);
    for (const auto& option : options) {
      if (option->name.empty()) continue;
      for (const std::string& value : option->values) {
        words.push_back(option->name);
        if (!option->is_flag) words.push_back(value);
      }
    }
    return words;
  }
};

/// The interpreter that the package was built for, which finds this package before any other that is installed. The
/// build writes its path beside the package.
std::string find_python() {
  const auto note = find_program_data("python/interpreter.txt", "python/interpreter.txt");
  if (!note) return "python3";  // the package may be installed for it
  const std::string folder = note->parent_path().string();
  const char* const former = std::getenv("PYTHONPATH");
  const std::string path = former == nullptr || *former == '\0' ? folder : folder + ":" + former;
  platform::set_environment("PYTHONPATH", path);
  std::string python;
  std::getline(std::ifstream(*note), python);
  return python.empty() ? "python3" : python;
}

int run_python(const StudyRequest& request) {
  const std::string python = find_python();
  std::vector<std::string> words{python, "-m", "achilles.studies"};
  for (std::string& word : request.list_words()) words.push_back(std::move(word));
  const int error = platform::continue_as(std::move(words));
  throw std::runtime_error(fmt::format("cannot start {}: {}. Studies need Python 3 with NumPy, PyYAML and h5py.",
                                       python, std::strerror(error)));
}

std::shared_ptr<StudyRequest> begin_command(CLI::App& app, std::function<int()>& chosen, CLI::App*& command,
                                            const char* name, const char* help) {
  auto request = std::make_shared<StudyRequest>();
  request->command = name;
  command = app.add_subcommand(name, help);
  command->callback([request, &chosen] { chosen = [request] { return run_python(*request); }; });
  return request;
}

void add_common(CLI::App& command, StudyRequest& request) {
  request.add(command, "--figure", "Expression on the report, e.g. energy.final")->required()->expected(1);
  request.add(command, "--set,-s", "Any key of the scene")->type_name("PATH=VALUE")->expected(1)->take_all();
  request.add(command, "--workers", "Processes; default: one per core")->expected(1);
  request.add(command, "--cluster", "Hand the runs to the Dask scheduler at this address")->expected(1);
  request.add(command, "--limit", "Wall time of one run [s]; default 600")->expected(1);
}

}  // namespace

void describe_studies(CLI::App& app, std::function<int()>& chosen) {
  CLI::App* command = nullptr;
  auto request = begin_command(app, chosen, command, "sweep",
                               "Run a study, or continue it; show FOLDER and replay FOLDER RUN look at its results");
  request->add(*command, "STUDY", "Study file (YAML), or: show FOLDER, or: replay FOLDER RUN")->required();
  request->add(*command, "--output,-o", "Folder of the results; one that exists is continued")->expected(1);
  request->add(*command, "--workers", "Processes on this machine; default: one per core")->expected(1);
  request->add(*command, "--cluster", "Hand the runs to the Dask scheduler at this address")->expected(1);
  request->add(*command, "--report", "With show: folder for a page")->expected(1);
  request->add(*command, "--record,-r", "With replay: recording; default RUN.h5")->expected(1);
  request->add_flag(*command, "--retry", "Do those again that crashed or went beyond a limit");
  request->add_flag(*command, "--quiet,-q", "No progress and no summary");

  request = begin_command(app, chosen, command, "converge", "Halve the step until a figure of the report settles");
  request->add(*command, "SCENE", "Scene file")->required()->expected(1);
  request->add(*command, "--methods", "Methods, separated by commas; default: the scene's")->expected(1);
  request->add(*command, "--levels", "Steps to try at most; default 6")->expected(1);
  request->add(*command, "--tolerance", "Relative change that counts as settled; default 1e-3")->expected(1);
  add_common(*command, *request);

  request = begin_command(app, chosen, command, "sensitivity", "Rank parameters by what they do to a figure");
  request->add(*command, "SCENE", "Scene file")->required()->expected(1);
  request->add(*command, "--over", "A parameter and its range")->type_name("PATH=LOW:HIGH")->required()->take_all();
  request->add(*command, "--method,-m", "Method in place of the scene's")->expected(1);
  add_common(*command, *request);
}

}  // namespace achilles::program
