#include "soak/trial.hpp"

#include "commands.hpp"
#include "platform/system.hpp"
#include "record/recording.hpp"

#include <achilles/error.hpp>
#include <achilles/run.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <map>
#include <stdexcept>

namespace achilles::program::soak {
namespace {

using Json = nlohmann::ordered_json;

/// A child process and the file that it leaves its outcome in.
struct Child {
  std::size_t trial = 0;
  std::string result;
};

Json to_json(const Outcome& outcome) {
  Json defects = Json::array();
  for (const Defect& defect : outcome.defects) {
    defects.push_back({{"kind", defect.kind},
                       {"time", defect.time},
                       {"excess", defect.excess},
                       {"detail", defect.detail},
                       {"is_reported", defect.is_reported}});
  }
  return {{"refused", outcome.refused}, {"defects", defects}};
}

Outcome from_json(const Json& json) {
  Outcome outcome;
  outcome.refused = json.at("refused");
  for (const Json& defect : json.at("defects")) {
    outcome.defects.push_back({defect.at("kind"), defect.at("time"),
                               defect.at("excess").is_number() ? defect.at("excess").get<double>() : 0,
                               defect.at("detail"), defect.at("is_reported")});
  }
  return outcome;
}

Scene load(const Trial& trial, const std::string& folder) {
  if (trial.file.empty()) return parse_scene(write_scene(trial), folder + "/scene.yaml");
  std::vector<Override> overrides;
  if (!trial.method.empty()) overrides.push_back({"method.name", trial.method});
  return load_scene(trial.file, overrides);
}

Outcome try_scene(const Trial& trial, const std::string& folder, const std::string& recording_path) {
  Outcome outcome;
  RunFacts facts;
  try {
    const Scene scene = load(trial, folder);
    RunOptions options;
    options.record_path = recording_path;
    options.every = scene.step;
    options.checkpoint_seconds = 1e9;
    // A run's own processor time, whatever else the machine does.
    std::clock_t last = std::clock();
    options.progress = [&](const RunProgress&) {
      const std::clock_t now = std::clock();
      facts.slowest_step = std::max(facts.slowest_step, static_cast<double>(now - last) / CLOCKS_PER_SEC);
      last = now;
      return true;
    };
    facts.status = find_exit_status(run_scene(scene, options));
  } catch (const SceneError& error) {
    outcome.refused = error.diagnostics().empty() ? error.what() : error.diagnostics().front().message;
    return outcome;
  }
  outcome.defects = judge(Recording(recording_path), facts);
  return outcome;
}

/// What the process of a trial does; the status with which it ends.
int run_child(const Trial& trial, const TrialOptions& options, const std::string& result) {
  try {
    const Outcome outcome = try_scene(trial, options.folder, result + ".h5");
    std::FILE* const file = std::fopen(result.c_str(), "w");
    if (file == nullptr) return 1;
    const std::string text = to_json(outcome).dump(-1, ' ', false, Json::error_handler_t::replace);
    return std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fclose(file) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    if (std::FILE* file = std::fopen(result.c_str(), "w")) {
      std::fputs(error.what(), file);
      std::fclose(file);
    }
    return 2;
  }
}

std::string read_text(const std::string& path) {
  std::string text;
  if (std::FILE* file = std::fopen(path.c_str(), "r")) {
    char buffer[4096];
    while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file)) text.append(buffer, count);
    std::fclose(file);
  }
  return text;
}

Outcome conclude(const Child& child, const platform::ChildProcesses::Ended& ended) {
  using Ending = platform::ChildProcesses::Ending;
  Outcome outcome;
  const std::string text = read_text(child.result);
  if (ended.ending == Ending::kOutOfTime) {
    outcome.defects.push_back({"hang", 0, 1, "does not end within the limit of processor time"});
  } else if (ended.ending == Ending::kSignal) {
    outcome.defects.push_back({"crash", 0, 1, ended.signal});
  } else if (ended.status == 0) {
    outcome = from_json(Json::parse(text));
  } else {
    outcome.defects.push_back({"crash", 0, 1, text.empty() ? "ends with an error" : text});
  }
  outcome.seconds = ended.seconds;
  std::filesystem::remove(child.result);
  std::filesystem::remove(child.result + ".h5");
  return outcome;
}

}  // namespace

bool Outcome::has(const std::string& kind) const {
  return std::any_of(defects.begin(), defects.end(), [&](const Defect& defect) { return defect.kind == kind; });
}

std::string write_scene(const Trial& trial) {
  // One body and one joint to a line.
  std::string text = "{";
  const char* separator = "";
  const auto write_list = [&text](const Json& list) {
    text += "[";
    const char* comma = "";
    for (const Json& item : list) {
      text += fmt::format("{}\n  {}", comma, item.dump());
      comma = ",";
    }
    text += "]";
  };
  Json scene = trial.scene;
  if (!trial.method.empty()) scene["method"] = trial.method;
  if (!trial.method.empty() && !trial.options.empty()) {
    scene["method"] = Json{{"name", trial.method}};
    scene["method"].update(trial.options);
  }
  for (const auto& [key, value] : scene.items()) {
    text += fmt::format("{}\"{}\": ", separator, key);
    if (key == "bodies" || key == "joints") {
      write_list(value);
    } else {
      text += value.dump();
    }
    separator = ",\n";
  }
  return text + "}\n";
}

void run_trials(std::span<const Trial> trials, const TrialOptions& options,
                const std::function<void(std::size_t, const Outcome&)>& done, const std::function<bool()>& go_on) {
  constexpr std::uint64_t kMemory = std::uint64_t{4} << 30;  // [bytes] of a trial
  platform::ChildProcesses processes;
  std::map<std::int64_t, Child> children;
  std::size_t next = 0;
  while (true) {
    while (next < trials.size() && children.size() < static_cast<std::size_t>(options.jobs) && go_on()) {
      const Child child{next, fmt::format("{}/result{}", options.folder, next % 100000)};
      const std::int64_t process = processes.start(
          {options.limit, kMemory}, [&] { return run_child(trials[child.trial], options, child.result); });
      children[process] = child;
      ++next;
    }
    if (children.empty()) return;
    const std::optional<platform::ChildProcesses::Ended> ended = processes.wait();
    if (!go_on()) return;  // those that run are killed
    const auto at = ended ? children.find(ended->process) : children.end();
    if (at == children.end()) continue;
    const Child child = at->second;
    children.erase(at);
    done(child.trial, conclude(child, *ended));
  }
}

Outcome run_trial(const Trial& trial, const TrialOptions& options) {
  Outcome result;
  run_trials(
      {&trial, 1}, options, [&result](std::size_t, const Outcome& outcome) { result = outcome; }, [] { return true; });
  return result;
}

}  // namespace achilles::program::soak
