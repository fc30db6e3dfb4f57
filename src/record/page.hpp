// A recording as one HTML file that plays anywhere, without network.
//
// The page is viewer/dist/template.html with the marker /*ACHILLES_DATA*/ (it stands alone inside a <script> element)
// replaced by one JavaScript statement:
//
//   window.achilles_recording = {"header": {...}, "data": "<base64>"};
//
// `data` is one block of little-endian bytes, compressed per the header, in base64 with padding; every array starts
// at a multiple of 8 bytes of the block. All
// text is JSON with `<`, U+2028 and U+2029 escaped, so that no body name can end the script. `header` is
//
//   {"format": "achilles-page", "version": 1, "achilles": "0.1.0",
//    "scene": "...", "source": "...", "method": "...", "impact": "...", "solver": "...",
//    "step": h [s], "gravity": [x, y, z],
//    "body_count": N, "instants": T, "recorded_instants": T0,  // T < T0: evenly decimated to fit the budget
//    "decimated": false,       // true: T of T0 instants, evenly spread, the first and the last kept
//    "over_budget": false,     // true: even two instants are larger than the budget
//    "recorded_events": E0,    // more than in event_time: evenly thinned out
//    "triggers": ["...", ..],  // names, for events of triggers
//    "live": false,            // true: more instants follow over a WebSocket, see page_instant.hpp
//    "complete": true,         // false: the recording was cut off, there is no report
//    "report": {...} | null,   // what --report writes; report.stopped is why a run ended itself
//    "shapes": [shape, ...],   // see json_shape.hpp: the scene format, meshes and hulls with their points
//    "bodies": [{"name": "...", "kind": "dynamic" | "fixed" | "scripted", "shape": index into shapes,
//                "material": "...", "mass": kg | null (infinite), "center": [x, y, z] (centre of mass, body frame),
//                "color": [r, g, b, a],  // where it has one, as do visuals, which are drawn in place of the shape:
//                "visuals": [{"shape": index, "position": [x, y, z], "orientation": [w, x, y, z], "color": [...]}]}],
//    "joints": [{"name": "...", "kind": "...", "bodies": [a, b], "at": [x, y, z], "axes": [[x, y, z], ..]}],
//              // as they stood at the start, in the frame of body a
//    "sensors": [{"sensor": "...", "column": "...", "unit": "..."}],  // of the columns of the array `sensor`
//    "compression": "deflate",  // zlib; without the key there is none
//    "arrays": [{"name": "...", "dtype": "float64" | "float32" | "int16" | "uint32" | "uint8",
//                "shape": [...], "offset": bytes, "bytes": bytes}]}
//
// with the arrays (row-major; C is the number of contact points over all T instants)
//
//   time              float64 (T)
//   position          float32 (T, N, 3)   [m] of the bodies' frames: those their shapes are written in
//   orientation       int16   (T, N, 4)   w, x, y, z times 32767
//   asleep            uint8   (T, ceil(N / 8))  bit b of byte j is body 8 j + b
//   velocity, spin    float32 (T, N, 3)   [m/s] of the centre of mass, [rad/s]; left out where the budget would force
//                                         decimation
//   contact_offset    uint32  (T + 1)     points of instant t are [contact_offset[t], contact_offset[t + 1])
//   contact_body      uint32  (C, 2)      bodies a and b
//   contact_position  float32 (C, 3)      [m]
//   contact_normal    float32 (C, 3)      from a to b
//   contact_gap       float32 (C)         [m] negative: penetrating
//   contact_impulse   float32 (C, 3)      [N s] over the last step, acting on b
//   sensor            float64 (T, S)      left out where there are no sensors
//   event_time        float64 (E)         [s]; events are left out altogether where there are none
//   event_kind        uint8   (E)         RecordedKind of layout.hpp
//   event_body        uint32  (E, 2)      4294967295: none; the second of a trigger's event is the trigger
//   and one float64 array per entry of /scalars of the recording (layout.hpp): (T), or (T, 3) for momentum [N s] and
//   angular_momentum [N m s]; energy_kinetic and energy_potential [J], penetration [m], contacts, iterations,
//   residual [m/s], step_seconds [s], ... Where instants are left out, each kept one stands for those before it too:
//   the largest penetration, residual, joint error and iterations, the sums of what is counted per step.
#pragma once

#include "record/recording.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace achilles {

struct PageOptions {
  std::size_t budget = 60'000'000;  // [bytes] of encoded arrays before compression; more is decimated in time
  std::string template_file;        // empty: find_page_template()
  bool live = false;                // served by a running simulation, which sends what comes after
};

/// Writes the page. Reads the recording in pieces: memory does not grow with its length. Throws std::runtime_error with
/// path and reason when the template is missing or has no marker, or the page cannot be written.
void export_page(const Recording& recording, const std::string& out_path, const PageOptions& options = {});

/// One run of a comparison.
struct ComparedRun {
  std::string name;
  std::string certified;  // the verdict of certify in a few words; empty: not certified
  const Recording* recording = nullptr;
};

/// Writes one page with several runs of a scene side by side; they share the budget. It holds, in place of the one
/// recording, window.achilles_comparison = [{"name": "...", "certified": "...", "header": {...}, "data": "..."}, ...];
void export_comparison(std::span<const ComparedRun> runs, const std::string& out_path, const PageOptions& options = {});

/// The template beside the running program: share/achilles/template.html under the installation prefix, or
/// viewer/dist/template.html in a source tree that holds the program. Throws std::runtime_error naming where it looked.
[[nodiscard]] std::string find_page_template();

}  // namespace achilles
