// The papers' experiments: the papers' figures beside ours.
#include "commands.hpp"
#include "reproduce/results.hpp"
#include "reproduce/stills.hpp"
#include "terminal.hpp"

#include "platform/system.hpp"
#include "record/output_file.hpp"
#include "record/program_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <future>
#include <map>
#include <optional>
#include <thread>

namespace achilles::program {
namespace {

using reproduce::Experiment;
using reproduce::Outcome;
using reproduce::PaperResults;

struct Paper {
  const char* name;
  const char* title;
  std::vector<Experiment> (*experiments)();
};

constexpr Paper kPapers[] = {
    {"drumwright", "Drumwright, Avoiding Zeno's Paradox in Impulse-based Rigid Body Simulation, 2010",
     reproduce::drumwright_experiments},
    {"mirtich", "Mirtich and Canny, Impulse-based Dynamic Simulation, 1995", reproduce::mirtich_experiments},
    {"vouga", "Vouga et al., All's Well That Ends Well: Guaranteed Resolution of Simultaneous Rigid Body Impact, 2017",
     reproduce::vouga_experiments},
    {"erleben", "Erleben, Stable, Robust, and Versatile Multibody Dynamics Animation, 2004",
     reproduce::erleben_experiments},
    {"anitescu", "Anitescu, A Fixed Time-Step Approach for Multibody Dynamics with Contact and Friction, 2003",
     reproduce::anitescu_experiments},
};

/// The scenes of an installed program, of the source tree it was built in, or of the present folder.
std::filesystem::path find_scenes() {
  if (const auto found = find_program_data("scenes/vouga", "scenes/vouga")) return found->parent_path();
  std::error_code error;
  if (std::filesystem::is_directory("scenes/vouga", error)) return std::filesystem::absolute("scenes");
  throw BadInput("cannot find the folder of the papers' scenes; name it with --scenes DIR");
}

/// A folder for recordings: kept inside the report's folder when there is one, else removed at the end.
class WorkFolder {
 public:
  explicit WorkFolder(const std::string& report) : keep_(!report.empty()) {
    folder_ = keep_ ? std::filesystem::path(report) / "runs"
                    : platform::make_unique_folder(std::filesystem::temp_directory_path() / "achilles-reproduce-");
    std::filesystem::create_directories(folder_);
  }
  ~WorkFolder() { remove(); }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  void remove() const {
    std::error_code ignored;
    if (!keep_) std::filesystem::remove_all(folder_, ignored);
  }
  [[nodiscard]] std::filesystem::path make(const std::string& name) const {
    std::filesystem::create_directories(folder_ / name);
    return folder_ / name;
  }

 private:
  bool keep_;
  std::filesystem::path folder_;
};

bool is_wanted(const ReproduceArguments& arguments, const Paper& paper, const Experiment& experiment) {
  return std::any_of(arguments.wanted.begin(), arguments.wanted.end(), [&](const std::string& word) {
    return word == "all" || word == paper.name || word == experiment.id;
  });
}

void check_words(const ReproduceArguments& arguments) {
  for (const std::string& word : arguments.wanted) {
    bool known = word == "all";
    for (const Paper& paper : kPapers) {
      const std::vector<Experiment> experiments = paper.experiments();
      known = known || word == paper.name ||
              std::any_of(experiments.begin(), experiments.end(), [&](const auto& e) { return e.id == word; });
    }
    if (!known) {
      throw BadInput(
          fmt::format("there is no paper or experiment '{}'; allowed are all, drumwright, mirtich, vouga, erleben, "
                      "anitescu, or the name of one experiment, e.g. V4",
                      word));
    }
  }
}

Outcome run_one(const Experiment& experiment, const reproduce::Setting& setting) {
  try {
    return experiment.run(setting);
  } catch (const std::exception& error) {
    Outcome outcome;
    outcome.failure = fmt::format("did not run: {}", error.what());
    return outcome;
  }
}

/// The outcome, or nothing when the user interrupts: experiments do not look for that, so the one that runs is left
/// behind on its own thread, and the program must end by leave().
std::optional<Outcome> run_unless_interrupted(const Experiment& experiment, const reproduce::Setting& setting) {
  std::packaged_task<Outcome()> task([experiment, setting] { return run_one(experiment, setting); });
  std::future<Outcome> outcome = task.get_future();
  std::thread(std::move(task)).detach();
  while (outcome.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    if (is_interrupted()) return std::nullopt;
  }
  return outcome.get();
}

/// Ends the program while an experiment still runs: nothing it may use is taken down.
[[noreturn]] void leave(const WorkFolder& work) {
  work.remove();
  std::fflush(nullptr);
  std::_Exit(kFailed);
}

/// Pictures of an experiment's scenes; where one cannot be made the note states it.
void add_stills(const std::string& experiment, const reproduce::Setting& setting, Outcome& outcome) {
  try {
    for (reproduce::Still& still : reproduce::make_stills(experiment, setting)) {
      outcome.stills.push_back(std::move(still));
    }
  } catch (const std::exception& error) {
    outcome.note += fmt::format("{}no picture: {}", outcome.note.empty() ? "" : "; ", error.what());
  }
}

void print_outcome(const Experiment& experiment, const Outcome& outcome, double seconds) {
  fmt::print("  {:<4} {:<17} {} ({})\n{:24}the paper: {}\n", experiment.id, reproduce::word_for(outcome),
             experiment.title, show_duration(seconds), "", experiment.claim);
  for (const std::string& line : reproduce::describe_clauses(outcome)) fmt::print("{:24}{}\n", "", line);
  if (!outcome.failure.empty()) fmt::print("{:24}{}\n", "", outcome.failure);
  if (!outcome.ours.empty()) fmt::print("{:24}here:      {}\n", "", outcome.ours);
  if (!outcome.note.empty()) fmt::print("{:24}note:      {}\n", "", outcome.note);
  std::fflush(stdout);
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  OutputFile file(path.string());
  file.write(text);
  file.close();
}

}  // namespace

int reproduce_papers(const ReproduceArguments& arguments) {
  check_words(arguments);
  const std::filesystem::path scenes =
      arguments.scenes.empty() ? find_scenes() : std::filesystem::path(arguments.scenes);
  const WorkFolder work(arguments.report);
  catch_interrupts();
  const auto began = std::chrono::steady_clock::now();
  std::vector<PaperResults> papers;
  std::map<std::string, int> counts;
  int total = 0;
  bool left_behind = false;
  for (const Paper& paper : kPapers) {
    PaperResults results{paper.name, paper.title, {}};
    for (const Experiment& experiment : paper.experiments()) {
      if (!is_wanted(arguments, paper, experiment) || is_interrupted()) continue;
      if (results.results.empty()) fmt::print("{}\n", paper.title);
      const auto start = std::chrono::steady_clock::now();
      const reproduce::Setting setting{scenes, work.make(experiment.id), arguments.full};
      std::optional<Outcome> found = run_unless_interrupted(experiment, setting);
      if (!found) {
        left_behind = true;
        fmt::print("  {:<4} interrupted\n", experiment.id);
        break;
      }
      Outcome& outcome = *found;
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (!arguments.report.empty()) add_stills(experiment.id, setting, outcome);
      print_outcome(experiment, outcome, seconds);
      ++counts[reproduce::word_for(outcome)];
      ++total;
      results.results.push_back({experiment, std::move(outcome)});
    }
    if (!results.results.empty()) papers.push_back(std::move(results));
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  fmt::print("\n{} hold, {} hold partly, {} differ, {} differ in time, {} did not run; {}\n", counts["holds"],
             counts["holds partly"], counts["differs"], counts["differs in time"], counts["did not run"],
             show_duration(seconds));
  if (!arguments.markdown.empty()) write_file(arguments.markdown, reproduce::make_markdown(papers));
  if (!arguments.report.empty()) {
    write_file(std::filesystem::path(arguments.report) / "index.html", reproduce::make_page(papers));
    write_file(std::filesystem::path(arguments.report) / "results.md", reproduce::make_markdown(papers));
    fmt::print("the page is {}\n", (std::filesystem::path(arguments.report) / "index.html").string());
  }
  if (left_behind) leave(work);
  return is_interrupted() || counts["holds"] != total ? kFailed : kDone;
}

}  // namespace achilles::program
