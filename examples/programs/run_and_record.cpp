// Read a scene file, run it to its end, record it, and read the report.   run_and_record SCENE.yaml RECORDING.h5
#include <achilles/achilles.hpp>

#include <iostream>

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: run_and_record SCENE.yaml RECORDING.h5\n";
    return 2;
  }
  try {
    const achilles::Scene scene = achilles::load_scene(arguments[1]);
    achilles::RunOptions options;
    options.record_path = arguments[2];
    options.duration = 1;  // [s]
    const achilles::RunReport report = achilles::run_scene(scene, options);
    std::cout << report.scene << ": " << report.steps << " steps, penetration at most " << report.penetration.max
              << " m, joints at most " << report.joint_error_max << " m apart\n";
    // A recording can be run again and must give the same bits.
    const achilles::ReplayResult replay = achilles::replay_recording(arguments[2]);
    std::cout << replay.instants << " frames replayed, " << (replay.first_difference ? "not " : "") << "identical\n";
    return report.stopped || replay.first_difference ? 1 : 0;
  } catch (const achilles::SceneError& error) {  // names file, line and what is allowed
    std::cerr << error.what() << '\n';
    return 2;
  }
}
