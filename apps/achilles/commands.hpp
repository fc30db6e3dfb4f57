// The commands of the program, one function each. They return the exit status and throw for what went wrong:
// SceneError and BadInput for bad input (2), anything else for other failures (1).
#pragma once

#include <achilles/import.hpp>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace achilles {
struct RunReport;
}

namespace achilles::program {

/// 0: done; 1: failed or was interrupted; 2: bad input; 3: the method stopped with a reason.
enum ExitStatus : int { kDone = 0, kFailed = 1, kBadInput = 2, kStopped = 3 };

/// Something on the command line, or a file it names, that cannot be used.
class BadInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a scene is loaded with.
struct SceneArguments {
  std::string file;
  std::string method;             // empty: the scene's own
  std::vector<std::string> sets;  // PATH=VALUE
  ImportOptions import = {};      // of robot files
};

struct PlaceArguments {
  SceneArguments scene;
  std::vector<std::string> pulls;  // BODY=[x,y,z] or BODY@[px,py,pz]=[x,y,z]
  std::string output;
};

struct RunArguments {
  SceneArguments scene;
  std::string resume;  // recording to continue instead of running a scene
  std::optional<double> duration;
  std::optional<double> every;
  int threads = 1;
  std::string record, csv, report;
  std::string trace;       // of the stages, for a trace viewer; empty: none
  double checkpoint = 30;  // [s] wall time between saved worlds in the recording
  bool durable = false;    // every commit of the recording waits for the disk
  bool profile = false;
  bool quiet = false;
};

struct CompareArguments {
  SceneArguments scene;
  std::string methods;  // names, separated by commas
  std::optional<double> duration;
  int threads = 1;
  std::string report;  // folder for recordings, reports and pages; empty: none
};

struct SolveArguments {
  std::string file;  // FCLIB problem or collection of problems (HDF5)
  std::string solver = "newton";
  std::vector<std::string> sets;  // OPTION=VALUE of the solver
  std::string report;             // JSON; empty: none
};

struct ReproduceArguments {
  std::vector<std::string> wanted = {"all"};  // names of papers and experiments
  std::string report;                         // folder for the page and the recordings; empty: none
  std::string markdown;                       // file for the table; empty: none
  std::string scenes;                         // folder; empty: found beside the program
  bool full = false;
};

/// The status of a run by its report.
[[nodiscard]] int find_exit_status(const RunReport& report);
int run(const RunArguments& arguments);
int compare(const CompareArguments& arguments);
int solve_problem(const SolveArguments& arguments);
int reproduce_papers(const ReproduceArguments& arguments);
int check(const SceneArguments& arguments);
int place(const PlaceArguments& arguments);
/// `megabytes`: of a page or of glTF's animation, at most; none: their defaults.
int export_recording(const std::string& recording, const std::vector<std::string>& outputs,
                     std::optional<double> megabytes);
int replay(const std::string& recording, int threads);
int list_events(const std::string& recording);
int list_methods(const std::string& name);
int list_shapes(const std::string& name);
int list_joints(const std::string& name);
int list_solvers(const std::string& name);
int list_impacts();
int print_schema();

/// Commands that keep their own arguments: each adds itself to the program, and becomes `chosen` when it is called.
void describe_convert(CLI::App& app, std::function<int()>& chosen);
void describe_render(CLI::App& app, std::function<int()>& chosen);
void describe_graph(CLI::App& app, std::function<int()>& chosen);
void describe_certify(CLI::App& app, std::function<int()>& chosen);
void describe_view(CLI::App& app, std::function<int()>& chosen);
void describe_soak(CLI::App& app, std::function<int()>& chosen);
void describe_studies(CLI::App& app, std::function<int()>& chosen);
void describe_manual(CLI::App& app, std::function<int()>& chosen);

/// Adds what robot files are read with to a command.
void add_import_options(CLI::App& command, ImportOptions& options);

/// The methods in a list that commas separate; `all` stands for every one there is. Throws BadInput.
[[nodiscard]] std::vector<std::string> list_methods_to_run(const std::string& list);

}  // namespace achilles::program
