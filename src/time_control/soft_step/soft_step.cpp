#include "time_control/soft_step/soft_step.hpp"

#include "time_control/contact_stage.hpp"
#include "time_control/soft_step/body_rows.hpp"
#include "time_control/soft_step/list_manifolds.hpp"
#include "time_control/soft_step/pack_contacts.hpp"
#include "time_control/soft_step/pack_joints.hpp"
#include "time_control/soft_step/soft_records.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

constexpr std::size_t kLaneBlock = 4;  // lanes that one thread takes at a time
constexpr std::size_t kFewLanes = 4;
constexpr std::size_t kBodyBlock = 64;
constexpr std::size_t kSlotBlock = 256;      // bodies by their slots
constexpr std::size_t kJointBlock = 8;       // lanes of joints
constexpr std::size_t kLanesInCache = 1024;  // that a core's cache holds

class SoftStep {
 public:
  SoftStep(World& world, const SoftStepOptions& options, StepWorkspace& scratch, double h)
      : world_(world),
        options_(options),
        scratch_(scratch),
        soft_(scratch.soft),
        h_(h),
        search_{options.margin, 0, h},
        rows_(world, h, scratch),
        packer_(world, options, scratch) {}

  StepReport run() {
    make_room_for_bodies(world_, h_, scratch_);
    soft_.round.resize(world_.bodies.size());
    soft_.body_drafts.resize(world_.bodies.size());
    scratch_.runner.run(world_.bodies.size(), kBodyBlock,
                        [&](std::size_t, std::size_t first, std::size_t last) { rows_.draft(first, last); });
    find_ungrouped_contacts(world_, options_.margin, h_, options_.recycling, scratch_);
    list_manifolds(world_, scratch_);
    prepare_joints();
    list_stages();
    report_counts();
    scratch_.runner.run_stages(soft_.stage_sizes, [this](std::size_t stage, std::size_t first, std::size_t last) {
      work(soft_.stages[stage], first, last);
    });
    scratch_.mark("substeps");
    return conclude();
  }

 private:
  using Stage = SoftWorkspace::Stage;
  using Kind = Stage::Kind;

  void prepare_joints() {
    list_joints(world_, h_, options_.substeps, options_.warm_start, scratch_);
    soft_.joint_edges.clear();
    for (const SoftJoint& joint : soft_.joints.joints) {
      soft_.joint_edges.push_back({world_.joints[joint.joint].body_a, world_.joints[joint.joint].body_b});
    }
    color_edges(soft_.joint_edges, scratch_.movable, soft_.joint_coloring);
    assign_joint_lanes(soft_);
    const double substep = h_ / options_.substeps;
    const double frequency = choose_frequency(options_, substep);
    between_ = make_softness(frequency, options_.damping, substep);
    // What is held by the ground may be stiffer.
    grounded_ = make_softness(2 * frequency, options_.damping, substep);
  }

  void report_counts() {
    scratch_.mark("lanes");
    if (scratch_.profile == nullptr) return;
    Profile& profile = *scratch_.profile;
    profile.count("manifolds", static_cast<double>(soft_.manifolds.size()));
    profile.count("colours", static_cast<double>(soft_.coloring.colors()));
    profile.count("colours kept", soft_.coloring.kept ? static_cast<double>(soft_.manifolds.size()) : 0);
    profile.count("lanes kept", soft_.lanes_kept ? static_cast<double>(soft_.lanes.contacts.size()) : 0);
    profile.count("cells", static_cast<double>(soft_.cells.size()));
    const std::size_t within = soft_.cells.size() > 0 ? soft_.cells.lane_start.back() : 0;
    profile.count("lanes between cells", static_cast<double>(soft_.lanes.contacts.size() - within));
    const auto lanes = static_cast<double>(soft_.lanes.contacts.size() * kLanes);
    profile.count("share of lanes filled", lanes > 0 ? static_cast<double>(soft_.manifolds.size()) / lanes : 0);
  }

  void list_stages() {
    rows_.prepare(!soft_.lanes.masses.empty() || !soft_.joints.joints.empty());
    packer_.prepare();
    soft_.stages.clear();
    soft_.stage_sizes.clear();
    // As many as there can be: a further colour must not cost memory in a later step.
    constexpr std::size_t kSweep = Coloring::kMostColors + 4;  // and rounds of cells
    const std::size_t most = 12 + 2 * kSweep + static_cast<std::size_t>(options_.substeps) * (2 + 5 * kSweep);
    soft_.stages.reserve(most);
    soft_.stage_sizes.reserve(most);
    add(Kind::kDraft, 0, soft_.manifolds.size(), kSlotBlock);
    if (soft_.cells.size() > 0 && !soft_.cells.is_chain && soft_.joints.joints.empty()) {
      list_visits();
    } else {
      list_sweeps();
    }
    add(Kind::kUnload, 0, world_.bodies.size(), kSlotBlock);
    add(Kind::kUnpackJoints, 0, soft_.joint_lanes.joints.size(), kJointBlock);
  }

  void list_sweeps() {
    change_bodies(Kind::kLoad);
    for_lanes(Kind::kPack);
    add(Kind::kPackJoints, 0, soft_.joint_lanes.joints.size(), kJointBlock);
    for (int k = 0; k < options_.substeps; ++k) {
      // Impulses of a substep are those of the one before, to begin with. What they do to a body is known from that
      // one; the contacts need not be asked again.
      change_bodies(k == 0 ? Kind::kAccelerate : Kind::kAccelerateOn);
      sweep_joints(k == 0 ? Kind::kWarmStartJoints : Kind::kTurnJoints);
      if (k == 0) sweep(Kind::kWarmStart);
      sweep_joints(Kind::kSolveJoints);
      sweep(Kind::kSolve);
      change_bodies(Kind::kMove);
      sweep_joints(Kind::kRelaxJoints);
      sweep(Kind::kRelax);
    }
    if (soft_.restitutes) sweep(Kind::kRestitute);
    for_lanes(Kind::kUnpack);
  }

  /// Cells too many for the cache: while one is in it, it is relaxed and, with the forces of the next substep, solved.
  /// So contacts between cells come last when solving and first when relaxing.
  void list_visits() {
    const std::size_t shared = soft_.cells.lane_start.back(), count = soft_.lanes.contacts.size() - shared;
    add(Kind::kLoad, 0, soft_.watched + std::size_t{1}, kSlotBlock);
    visit_cells(Kind::kNothing, Kind::kLoad, Kind::kNothing);
    add(Kind::kPack, shared, count, kLaneBlock);
    visit_cells(Kind::kPack, Kind::kAccelerate, Kind::kWarmStart);
    sweep_shared(Kind::kWarmStart);
    visit_cells(Kind::kNothing, Kind::kNothing, Kind::kSolve);
    for (int k = 0; k < options_.substeps; ++k) {
      if (k > 0) visit_cells(Kind::kRelax, Kind::kAccelerateOn, Kind::kSolve);
      sweep_shared(Kind::kSolve);
      if (soft_.watched > 0) add(Kind::kMove, 0, soft_.watched, kSlotBlock);
      visit_cells(Kind::kNothing, Kind::kMove, Kind::kNothing);
      sweep_shared(Kind::kRelax);
    }
    visit_cells(Kind::kRelax, Kind::kNothing, soft_.restitutes ? Kind::kNothing : Kind::kUnpack);
    if (soft_.restitutes) {
      sweep(Kind::kRestitute);
      visit_cells(Kind::kNothing, Kind::kNothing, Kind::kUnpack);
    }
    add(Kind::kUnpack, shared, count, kLaneBlock);
  }

  void visit_cells(Kind before, Kind bodies, Kind kind) {
    add(kind, 0, soft_.cells.size(), 1, true);
    soft_.stages.back().before = before;
    soft_.stages.back().bodies = bodies;
  }

  void add(Kind kind, std::size_t begin, std::size_t count, std::size_t block, bool by_cell = false) {
    soft_.stages.push_back({kind, by_cell, Kind::kNothing, static_cast<std::uint32_t>(begin), Kind::kNothing});
    soft_.stage_sizes.push_back({count, block});
  }

  /// Cells are whole, as in sweeps: a thread that helps with some lanes of a cell would have to hand them over.
  void for_lanes(Kind kind) {
    for_cells(kind);
    const std::size_t begin = soft_.start.front();
    add(kind, begin, soft_.lanes.contacts.size() - begin, kLaneBlock);
  }

  void for_cells(Kind kind) {
    std::size_t cell = 0;
    for (const std::uint32_t count : soft_.cells.rounds) {
      if (count == 0) continue;
      add(kind, cell, count, 1, true);
      soft_.stages.back().bodies = std::exchange(change_, Kind::kNothing);
      cell += count;
    }
  }

  /// Where a sweep over cells follows, each does it to its own bodies before it begins with their contacts. What
  /// impulses do not move has contacts in many cells: it comes before them all.
  void change_bodies(Kind kind) {
    const bool by_cells = soft_.cells.size() > 0 && soft_.joints.joints.empty();
    const std::size_t unmoved = soft_.watched + (kind == Kind::kLoad ? 1 : 0);  // slot 0 is only loaded
    const std::size_t rows = by_cells ? unmoved : soft_.body_of.size();
    if (rows > 0) add(kind, 0, rows, kSlotBlock);
    if (by_cells) change_ = kind;
  }

  void sweep(Kind kind) {
    for_cells(kind);
    sweep_shared(kind);
  }

  void sweep_shared(Kind kind) {
    const std::size_t colors = soft_.start.size() - 2;
    // Few lanes are worked on by one thread, colour after colour, and so is the overflow: passing them on costs more.
    std::size_t few = soft_.start.front();
    const auto add_few = [&](std::size_t end) {
      if (end > few) add(kind, few, end - few, end - few);
    };
    for (std::size_t color = 0; color < colors; ++color) {
      const std::size_t begin = soft_.start[color], end = soft_.start[color + 1];
      if (end - begin <= kFewLanes) continue;
      add_few(begin);
      add(kind, begin, end - begin, kLaneBlock);
      few = end;
    }
    add_few(soft_.lanes.contacts.size());
  }

  void sweep_joints(Kind kind) {
    const std::vector<std::uint32_t>& start = soft_.joint_lanes.start;
    for (std::size_t color = 0; color + 1 < start.size(); ++color) {
      const std::size_t count = start[color + 1] - start[color];
      const bool overflow = color + 2 == start.size();
      if (count > 0) add(kind, start[color], count, overflow ? count : kJointBlock);
    }
  }

  void work(const Stage& stage, std::size_t first, std::size_t last) {
    if (stage.before != Kind::kNothing) work({stage.before, true, Kind::kNothing, stage.begin}, first, last);
    if (stage.bodies != Kind::kNothing) change_cell(stage.bodies, first);
    const std::size_t begin = stage.begin + first, end = stage.begin + last;
    const LaneRange range = find_range(stage, begin, end);
    const SoftBodies bodies{soft_.motions.data() + soft_.watched, soft_.masses.data() + soft_.watched};
    const auto h = static_cast<float>(h_ / options_.substeps);
    const auto push_speed = static_cast<float>(options_.push_speed);
    switch (stage.kind) {
      case Kind::kNothing:
        break;
      case Kind::kLoad:
        rows_.load(first, last);
        break;
      case Kind::kDraft:
        for (std::size_t k = first; k < last; ++k) packer_.draft(k);
        break;
      case Kind::kPack:
        prepare_contacts(soft_.lanes, range, packer_.drafts(), bodies);
        break;
      case Kind::kAccelerate:
        rows_.accelerate(first, last, h);
        break;
      case Kind::kAccelerateOn:
        rows_.accelerate_on(first, last, h);
        break;
      case Kind::kWarmStart:
        warm_start_contacts(soft_.lanes, range, bodies);
        break;
      case Kind::kSolve:
        solve_contacts(soft_.lanes, range, bodies, {1 / h, true, push_speed, between_, grounded_});
        break;
      case Kind::kMove:
        rows_.move(first, last, h);
        break;
      case Kind::kRelax:
        solve_contacts(soft_.lanes, range, bodies, {1 / h, false, push_speed, between_, grounded_});
        break;
      case Kind::kUnpack:
        packer_.unpack(range);
        break;
      case Kind::kRestitute:
        restitute_contacts(soft_.lanes, range, bodies, static_cast<float>(options_.restitution_threshold));
        break;
      case Kind::kUnload:
        rows_.unload(first, last);
        break;
      case Kind::kPackJoints:
        pack_joints(soft_.joints, range, bodies.masses, soft_.joint_lanes);
        break;
      case Kind::kWarmStartJoints:
        warm_start_joints(soft_.joint_lanes, range, bodies);
        break;
      case Kind::kTurnJoints:
        turn_joints(soft_.joint_lanes, range, bodies);
        break;
      case Kind::kSolveJoints:
        solve_joints(soft_.joint_lanes, range, bodies, {1 / h, true, between_});
        break;
      case Kind::kRelaxJoints:
        solve_joints(soft_.joint_lanes, range, bodies, {1 / h, false, between_});
        break;
      case Kind::kUnpackJoints:
        unpack_joints(soft_.joint_lanes, range, soft_.joints);
        break;
    }
  }

  /// Other cells' lanes may be another thread's; who works on a block of a colour soon comes to the next.
  [[nodiscard]] LaneRange find_range(const Stage& stage, std::size_t begin, std::size_t end) const {
    const std::size_t all = soft_.lanes.contacts.size();
    const bool far = all > kLanesInCache;
    if (!stage.by_cell) return {begin, end, far ? all : 0};
    const std::size_t first = soft_.cells.lane_start[begin], last = soft_.cells.lane_start[end];
    return {first, last, far && stage.before == Kind::kNothing ? last : 0};
  }

  /// Of the first round: a slab has contacts with bodies of the next, which it moves too.
  void change_cell(Kind kind, std::size_t place) {
    const std::vector<std::uint32_t>& start = soft_.cells.slot_start;
    const std::size_t width = soft_.cells.is_chain ? 2 : 1, cell = width * place;
    const std::size_t end = std::min(cell + width, soft_.cells.size());
    work({kind}, soft_.watched + start[cell], soft_.watched + start[end]);
  }

  StepReport conclude() {
    StepReport report;
    record_soft_contacts(world_, scratch_, report);
    for (const WorldScript& script : world_.scripts) {
      if (soft_.slot_of[script.body] != 0) report.external_work += measure_work(script.body);
    }
    report.external_work += conclude_joints(world_, h_, scratch_, soft_.joints);
    report.joint_error = update_joint_positions(world_);
    report.iterations = options_.substeps;
    put_to_sleep(world_, options_.sleeping, search_, scratch_);
    scratch_.mark("memory and records");
    world_.time += h_;
    ++world_.step_index;
    return report;
  }

  /// Work of a scripted body through its contacts [J].
  [[nodiscard]] double measure_work(std::uint32_t body) const {
    double work = 0;
    for (const ContactRecord& record : scratch_.records) {
      if (record.body_a == body || record.body_b == body) {
        work += measure_script_work(world_.bodies, record, record.impulse);
      }
    }
    return work;
  }

  World& world_;
  const SoftStepOptions& options_;
  StepWorkspace& scratch_;
  SoftWorkspace& soft_;
  double h_;
  TouchSearch search_;
  BodyRows rows_;
  ContactPacker packer_;
  Softness between_, grounded_;
  Kind change_ = Kind::kNothing;  // yet to be done to the bodies by the next sweep over cells
};

}  // namespace

StepReport advance_soft_step(World& world, const SoftStepOptions& options, StepWorkspace& scratch, double h) {
  return SoftStep(world, options, scratch, h).run();
}

}  // namespace achilles
