// Random legal scenes under every method, judged, reduced and counted.
#include "commands.hpp"
#include "soak/generator.hpp"
#include "soak/meshes.hpp"
#include "soak/method_options.hpp"
#include "soak/reducer.hpp"
#include "terminal.hpp"

#include "platform/system.hpp"
#include "record/output_file.hpp"

#include <achilles/scene.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

namespace achilles::program {
namespace {

using namespace soak;

struct SoakArguments {
  std::uint64_t seed = 1, first = 0;
  int count = 100;
  std::vector<std::string> files;  // scenes to judge instead of random ones
  std::string methods;             // empty: all, of files their own
  int jobs = 1;
  std::string keep;    // folder for what fails; empty: none
  double limit = 10;   // [s] processor time per run
  double seconds = 0;  // [s] after which no further scene begins; 0: none
  bool does_reduce = true;
  bool only_draws = false;  // writes all scenes and runs none
};

struct MethodCounts {
  int runs = 0, refused = 0, failing = 0;
  int silent = 0;  // of the failing: the report of the run does not warn of all that is wrong
  std::map<std::string, int> kinds;
  double seconds = 0;
};

/// A folder that is gone with this object.
class TemporaryFolder {
 public:
  TemporaryFolder()
      : path_(platform::make_unique_folder(std::filesystem::temp_directory_path() / "achilles-soak-").string()) {}
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class Soak {
 public:
  explicit Soak(const SoakArguments& arguments) : arguments_(arguments), began_(std::chrono::steady_clock::now()) {
    options_.folder = folder_.path();
    options_.limit = arguments.limit;
    options_.jobs = arguments.jobs;
    write_meshes(folder_.path());
    if (!arguments.keep.empty()) write_meshes(arguments.keep);
    const bool is_own = arguments.methods.empty() && !arguments.files.empty();
    if (!is_own) methods_ = list_methods_to_run(arguments.methods.empty() ? "all" : arguments.methods);
  }

  int run() {
    if (arguments_.only_draws) {
      draw();
      return kDone;
    }
    if (arguments_.files.empty()) {
      run_random();
    } else {
      run_files();
    }
    if (platform::is_terminal(platform::Stream::kError)) fmt::print(stderr, "\r\x1b[K");
    print_table();
    for (const auto& [method, counts] : counts_) {
      if (counts.failing > 0) return kFailed;
    }
    return is_interrupted() ? kFailed : kDone;
  }

 private:
  [[nodiscard]] bool is_time_left() const {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began_;
    return !is_interrupted() && (arguments_.seconds <= 0 || passed.count() < arguments_.seconds);
  }

  void draw() const {
    if (arguments_.keep.empty()) throw BadInput("--draw needs --keep with the folder for the scenes");
    for (int k = 0; k < arguments_.count && is_time_left(); ++k) {
      const std::uint64_t index = arguments_.first + static_cast<std::uint64_t>(k);
      const GeneratedScene generated = generate_scene(arguments_.seed, index);
      write(fmt::format("{}-{}-{}.yaml", generated.family, arguments_.seed, index),
            write_scene({generated.scene, {}, {}}));
    }
  }

  void run_random() {
    for (int k = 0; k < arguments_.count && is_time_left(); ++k) {
      const std::uint64_t index = arguments_.first + static_cast<std::uint64_t>(k);
      const GeneratedScene generated = generate_scene(arguments_.seed, index);
      std::vector<Trial> trials;
      for (const std::string& method : methods_) {
        Trial trial{generated.scene, method, {}};
        const MethodSpec* const spec = find_method(method);
        if (spec != nullptr) trial.options = draw_method_options(arguments_.seed, index, *spec);
        trials.push_back(std::move(trial));
      }
      run(trials, fmt::format("{}-{}-{}", generated.family, arguments_.seed, index));
      show_progress(k + 1, arguments_.count);
    }
  }

  void run_files() {
    for (std::size_t k = 0; k < arguments_.files.size() && is_time_left(); ++k) {
      const std::string& file = arguments_.files[k];
      std::vector<Trial> trials;
      if (methods_.empty()) trials.push_back({{}, load_scene(file).method.name, file});
      for (const std::string& method : methods_) trials.push_back({{}, method, file});
      run(trials, std::filesystem::path(file).stem().string());
      show_progress(static_cast<int>(k) + 1, static_cast<int>(arguments_.files.size()));
    }
  }

  void run(const std::vector<Trial>& trials, const std::string& name) {
    std::vector<std::optional<soak::Outcome>> outcomes(trials.size());
    run_trials(
        trials, options_, [&](std::size_t k, const soak::Outcome& outcome) { outcomes[k] = outcome; },
        [] { return !is_interrupted(); });
    for (std::size_t k = 0; k < trials.size() && !is_interrupted(); ++k) {
      if (outcomes[k]) conclude(trials[k], *outcomes[k], name);
    }
    ++scenes_;
  }

  void conclude(const Trial& trial, const soak::Outcome& outcome, const std::string& name) {
    MethodCounts& counts = counts_[trial.method];
    counts.seconds += outcome.seconds;
    if (!outcome.refused.empty()) {
      ++counts.refused;
      ++refusals_[trial.method + ": " + outcome.refused];
      return;
    }
    ++counts.runs;
    if (outcome.defects.empty()) return;
    ++counts.failing;
    for (const Defect& defect : outcome.defects) ++counts.kinds[defect.kind];
    const auto silent = std::find_if(outcome.defects.begin(), outcome.defects.end(),
                                     [](const Defect& defect) { return !defect.is_reported; });
    const bool is_silent = silent != outcome.defects.end();
    counts.silent += is_silent ? 1 : 0;
    const Defect& shown = is_silent ? *silent : outcome.defects.front();
    if (platform::is_terminal(platform::Stream::kError)) fmt::print(stderr, "\r\x1b[K");
    const std::string settings = trial.options.empty() ? "" : " " + trial.options.dump();
    fmt::print("{} {}{} {}{}: {}\n", name, trial.method, settings, shown.kind, is_silent ? "" : " (reported)",
               shown.detail);
    std::fflush(stdout);
    if (!arguments_.keep.empty() && trial.file.empty()) keep(trial, outcome, name);
  }

  void keep(Trial trial, const soak::Outcome& found, const std::string& name) {
    const std::string kind = found.defects.front().kind;
    if (arguments_.does_reduce) trial = reduce(trial, kind, {options_});
    const soak::Outcome outcome = arguments_.does_reduce ? run_trial(trial, options_) : found;
    std::string head = fmt::format("# {}: {}\n# soak {}; run with -m {} --every {}\n", trial.method, kind, name,
                                   trial.method, trial.scene["time"]["step"].get<double>());
    for (const Defect& defect : outcome.defects) {
      head += fmt::format("# {} from {:.6g} s, {:.3g} times what is allowed: {}\n", defect.kind, defect.time,
                          defect.excess, defect.detail);
    }
    write(fmt::format("{}-{}-{}.yaml", trial.method, kind, name), head + write_scene(trial));
  }

  void write(const std::string& name, const std::string& text) const {
    OutputFile file((std::filesystem::path(arguments_.keep) / name).string());
    file.write(text);
    file.close();
  }

  void show_progress(int done, int count) const {
    if (!platform::is_terminal(platform::Stream::kError)) return;
    int failing = 0;
    for (const auto& [method, counts] : counts_) failing += counts.failing;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began_;
    fmt::print(stderr, "\r\x1b[K{} of {} scenes, {} runs fail, {}", done, count, failing,
               show_duration(passed.count()));
    std::fflush(stderr);
  }

  void print_table() const {
    fmt::print("\n{} scenes", scenes_);
    if (arguments_.files.empty()) fmt::print(" of seed {} from {}", arguments_.seed, arguments_.first);
    fmt::print("\n");
    fmt::print("{:<20} {:>5} {:>7} {:>5} {:>6}", "method", "runs", "refused", "fail", "silent");
    for (const char* kind : soak::kKinds)
      fmt::print(" {:>{}}", kind, std::max<std::size_t>(5, std::string_view(kind).size()));
    fmt::print(" {:>9}\n", "processor");
    for (const auto& [method, counts] : counts_) {
      fmt::print("{:<20} {:>5} {:>7} {:>5} {:>6}", method, counts.runs, counts.refused, counts.failing, counts.silent);
      for (const char* kind : soak::kKinds) {
        const auto of_kind = counts.kinds.find(kind);
        fmt::print(" {:>{}}", of_kind == counts.kinds.end() ? 0 : of_kind->second,
                   std::max<std::size_t>(5, std::string_view(kind).size()));
      }
      fmt::print(" {:>9}\n", show_duration(counts.seconds));
    }
    if (!refusals_.empty()) fmt::print("\nrefused:\n");
    for (const auto& [reason, count] : refusals_) fmt::print("  {:>4} x {}\n", count, reason);
  }

  SoakArguments arguments_;
  std::chrono::steady_clock::time_point began_;
  TemporaryFolder folder_;
  TrialOptions options_;
  std::vector<std::string> methods_;
  std::map<std::string, MethodCounts> counts_;
  std::map<std::string, int> refusals_;
  int scenes_ = 0;
};

}  // namespace

void describe_soak(CLI::App& app, std::function<int()>& chosen) {
  const auto arguments = std::make_shared<SoakArguments>();
  CLI::App* command = app.add_subcommand("soak", "Run random scenes under many methods and judge what they do");
  command->add_option("SCENES", arguments->files, "Scene files to judge instead of random scenes");
  command->add_option("--seed", arguments->seed, "Of the scenes; the same seed gives the same scenes");
  command->add_option("--first", arguments->first, "Number of the first scene");
  command->add_option("--count,-n", arguments->count, "Scenes")->check(CLI::Range(1, 1000000000));
  command->add_option("--methods", arguments->methods,
                      "Methods, separated by commas; default all, of scene files their own");
  command->add_option("--jobs,-j", arguments->jobs, "Runs at a time")->check(CLI::Range(1, 1024));
  command->add_option("--keep", arguments->keep, "Folder for the scenes that fail, reduced");
  command->add_option("--limit", arguments->limit, "Processor time of a run [s]; longer is a hang")
      ->check(CLI::Range(1.0, 1e6));
  command->add_option("--seconds", arguments->seconds, "Begin no scene after this time [s]")
      ->check(CLI::Range(0.0, 1e9));
  command->add_flag("!--no-reduce", arguments->does_reduce, "Keep scenes as they are");
  command->add_flag("--draw", arguments->only_draws, "Only write the scenes to the folder of --keep; nothing runs");
  command->callback([arguments, &chosen] {
    chosen = [arguments] {
      catch_interrupts();
      return Soak(*arguments).run();
    };
  });
}

}  // namespace achilles::program
