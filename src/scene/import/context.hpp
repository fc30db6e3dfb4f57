// What the readers of robot files share while they read: messages, options, files and the meshes in them.
#pragma once

#include "scene/complaints.hpp"
#include "scene/import/file_tree.hpp"
#include "scene/import/xml.hpp"

#include <achilles/import.hpp>
#include <achilles/shape.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace achilles::scene_file {

class ImportContext {
 public:
  ImportContext(Complaints& complaints, const ImportOptions& options, const std::string& file);

  [[nodiscard]] const ImportOptions& options() const { return options_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] bool leaves_out(const std::string& word) const { return options_.leave_out.contains(word); }
  [[nodiscard]] Complaints& complaints() { return complaints_; }

  void error(const Place& place, const std::string& message);
  /// The file asks for something that the scene cannot hold: a warning, or an error under `strict`. The same words are
  /// listed once, where they stand first, with how often they are asked for.
  void leave_out(const Place& place, const std::string& what);
  /// Lists the shapes of a <geometry> after the first, which is read.
  void report_further_shapes(const XmlNode& geometry);
  /// Something that the user should know, though nothing is lost.
  void note(const Place& place, const std::string& message);
  /// Hands what was left out to the complaints.
  void finish();

  /// The number of another file, for the places of what is read from it.
  [[nodiscard]] int add_file(const std::string& file);
  /// The folder of the file that a place is in.
  [[nodiscard]] std::filesystem::path folder_of(const Place& place) const;

  /// The position that the options let a joint start at. Names that nothing takes are errors in the end.
  [[nodiscard]] std::optional<double> take_start(const std::string& joint);
  /// Complains of positions to start from of joints that there are not; `joints` are those that there are.
  void check_starts(const Place& place, const std::vector<std::string>& joints);

  /// The name under which the scene finds a file that the robot names, relative to the folder of the robot file.
  /// `base` is where a name without scheme starts. Nothing when there is no such file, or when it is outside of the
  /// robot's files (FileTree); `reason` says where it was looked for, or why it is refused.
  [[nodiscard]] std::optional<std::string> find_file(const std::string& name, const std::filesystem::path& base,
                                                     std::string& reason);
  /// The triangles of a file that find_file found; reads each once. Nullptr after complaining at `place`.
  [[nodiscard]] const Mesh* load_mesh(const std::string& file, const Place& place);

 private:
  [[nodiscard]] std::optional<std::string> find_in_package(const std::string& name, std::string& reason);
  [[nodiscard]] std::string relative_name(const std::filesystem::path& path) const;

  struct LeftOut {
    Place first;
    std::string what;
    int count = 0;
  };

  Complaints& complaints_;
  const ImportOptions& options_;
  std::filesystem::path folder_;
  FileTree tree_;
  std::map<int, std::filesystem::path> folders_;  // of further files
  std::set<std::string> starts_taken_;
  std::vector<LeftOut> left_out_;
  std::map<std::string, std::size_t> left_out_index_;
  std::map<std::string, std::optional<Mesh>> meshes_;
};

}  // namespace achilles::scene_file
