#include "methods/soft_step/soft_step.hpp"

#include "methods/soft_step/stages.hpp"
#include "stepping/contact_stage.hpp"
#include "stepping/joint_check.hpp"
#include "stepping/joint_estimate.hpp"
#include "stepping/joint_stiffness.hpp"

#include <algorithm>

namespace achilles {
namespace {

constexpr std::size_t kBatchesPerBlock = kElementsPerBlock / kLanes;

/// Joint error as a share of the arm that ends a run. Joints are damped springs, which give way: the report warns of
/// what is off by more than kJointShare.
constexpr double kLostJoint = 0.1;

}  // namespace

/// A step. list_phases is its pseudo-code; below it stand the loops of the phases, and last how they run over bodies,
/// contacts and joints.
class SoftStep {
 public:
  SoftStep(World& world, const SoftStepOptions& options, SoftScratch& scratch, double h)
      : world_(world),
        options_(options),
        scratch_(scratch),
        soft_(scratch.soft),
        h_(h),
        substep_(static_cast<float>(h / options.substeps)),
        search_{options.speculative_distance, 0, h},
        staging_(world, options, h, scratch, scratch.soft) {}

  StepReport run() {
    joint_error_ = measure_relative_joint_error(world_);
    prepare_bodies();
    soften_loaded_joints();
    find_ungrouped_contacts(world_, options_.speculative_distance, h_, options_.reuse_distance, scratch_);
    prepare_contacts();
    prepare_joints();
    resize_rows(!soft_.layout.batches.masses.empty() || !soft_.joints.list.joints.empty(), soft_.bodies);
    staging_.resize();
    list_phases();
    report_counts();
    soft_.phases.run(scratch_.runner, *this);
    scratch_.mark("substeps");
    return conclude();
  }

 private:
  /// Whether border contacts come after those inside the blocks of the partition, or may come before.
  enum class Border { kLast, kFirst };

  void list_phases() {
    // As many loops as there can be: further colours in a later step must not cost memory.
    constexpr std::size_t kSweep = Coloring::kMostColors + 4;
    soft_.phases.clear();
    soft_.phases.reserve(12 + 2 * kSweep + static_cast<std::size_t>(options_.substeps) * (6 + 5 * kSweep));
    soft_.phases.add("stage contacts", &SoftStep::stage_contacts, 0, soft_.manifolds.manifolds.size(),
                     kElementsPerBlock);
    for_bodies<&SoftStep::load>("load bodies", soft_.bodies.scripted + 1);
    // Border contacts read the velocities before the first substep changes them.
    for_contacts<&SoftStep::pack>("pack contacts", Border::kFirst);
    for_joints<&SoftStep::pack_joint_batches>("pack joints");
    for (int k = 0; k < options_.substeps; ++k) list_substep(k == 0);
    if (soft_.manifolds.restitutes) sweep_contacts<&SoftStep::restitute>("restitute");
    for_contacts<&SoftStep::unpack>("unpack contacts", Border::kLast);
    soft_.phases.add("store bodies", &SoftStep::store, 0, world_.bodies.size(), kElementsPerBlock);
    for_joints<&SoftStep::unpack_joint_batches>("unpack joints");
  }

  void list_substep(bool is_first) {
    if (is_first) {
      for_bodies<&SoftStep::integrate_velocities>("integrate velocities");
      sweep_joints<&SoftStep::warm_start_joint_batches>("warm start joints");
      sweep_contacts<&SoftStep::warm_start>("warm start contacts");
    } else {
      // Impulses of a substep start with those of the previous one. By how much these change velocities is known from
      // that substep, so that the integration applies them, without a sweep over the contacts.
      for_bodies<&SoftStep::integrate_velocities_with_impulses>("integrate velocities and warm start");
      sweep_joints<&SoftStep::turn_joint_batches>("turn joints");
    }
    sweep_joints<&SoftStep::solve_joint_batches>("solve joints");
    for_couplings<&SoftStep::solve_joint_couplings>("solve couplings");
    sweep_contacts<&SoftStep::solve>("solve contacts");
    for_bodies<&SoftStep::integrate_positions>("integrate positions", soft_.bodies.scripted);
    for_couplings<&SoftStep::relax_joint_couplings>("relax couplings");
    sweep_joints<&SoftStep::relax_joint_batches>("relax joints");
    // With border contacts first, contacts inside a block are relaxed, its bodies integrated and its contacts solved
    // for the next substep while the block is in the cache of one core.
    sweep_contacts<&SoftStep::relax>("relax contacts", Border::kFirst);
  }

  // Loops of the phases.

  void stage_contacts(Elements manifolds) const {
    for (std::size_t k = manifolds.first; k < manifolds.last; ++k) staging_.stage(k);
  }
  void load(Elements rows) const { load_bodies(rows, scratch_, soft_.bodies); }
  void integrate_velocities(Elements rows) const { integrate_row_velocities(rows, substep_, soft_.bodies); }
  void integrate_velocities_with_impulses(Elements rows) const {
    integrate_warm_velocities(rows, substep_, soft_.bodies);
  }
  void integrate_positions(Elements rows) const { integrate_displacements(rows, substep_, soft_.bodies); }
  void store(Elements bodies) const { store_bodies(world_, h_, bodies, scratch_, soft_.bodies); }

  void pack(BatchRange batches) const {
    achilles::prepare_contacts(soft_.layout.batches, batches, staging_.staged(), soft_.bodies.rows(),
                               static_cast<float>(1 / h_));
  }
  void warm_start(BatchRange batches) const { warm_start_contacts(soft_.layout.batches, batches, soft_.bodies.rows()); }
  void solve(BatchRange batches) const { sweep(batches, true); }
  void relax(BatchRange batches) const { sweep(batches, false); }
  void sweep(BatchRange batches, bool is_biased) const {
    const auto push_speed = static_cast<float>(options_.push_speed);
    solve_contacts(soft_.layout.batches, batches, soft_.bodies.rows(),
                   {1 / substep_, is_biased, push_speed, between_, grounded_});
  }
  void restitute(BatchRange batches) const {
    restitute_contacts(soft_.layout.batches, batches, soft_.bodies.rows(),
                       static_cast<float>(options_.restitution_threshold));
  }
  void unpack(BatchRange batches) const { staging_.unpack(batches); }

  void pack_joint_batches(Elements batches) const {
    pack_joints(soft_.joints.list, {batches.first, batches.last}, soft_.bodies.rows().masses, soft_.joints.batches);
  }
  void warm_start_joint_batches(Elements batches) const {
    warm_start_joints(soft_.joints.batches, {batches.first, batches.last}, soft_.bodies.rows());
  }
  void turn_joint_batches(Elements batches) const {
    turn_joints(soft_.joints.batches, {batches.first, batches.last}, soft_.bodies.rows());
  }
  void solve_joint_batches(Elements batches) const { sweep_joint_batches(batches, true); }
  void relax_joint_batches(Elements batches) const { sweep_joint_batches(batches, false); }
  void sweep_joint_batches(Elements batches, bool is_biased) const {
    solve_joints(soft_.joints.batches, {batches.first, batches.last}, soft_.bodies.rows(),
                 {1 / substep_, is_biased, between_});
  }
  void solve_joint_couplings(Elements /*all*/) const {
    solve_couplings(soft_.joints.couplings, soft_.joints.batches, soft_.bodies.rows(), between_);
  }
  void relax_joint_couplings(Elements /*all*/) const {
    relax_couplings(soft_.joints.couplings, soft_.joints.batches, soft_.bodies.rows(), substep_);
  }
  void unpack_joint_batches(Elements batches) const {
    unpack_joints(soft_.joints.batches, {batches.first, batches.last}, soft_.joints.list);
  }

  // How phases run over bodies, contacts and joints: block by block of the partition where there is one.

  using BatchWork = void (SoftStep::*)(BatchRange) const;
  using RowWork = void (SoftStep::*)(Elements) const;

  [[nodiscard]] const Partition& partition() const { return soft_.slots.partition; }
  /// Joints tie bodies of different blocks: with joints bodies are not integrated block by block.
  [[nodiscard]] bool integrates_by_block() const { return partition().size() > 0 && soft_.joints.list.joints.empty(); }

  /// The first `others` rows are of bodies that impulses do not move: contacts of many blocks read them, so that they
  /// come before all blocks.
  template <RowWork kWork>
  void for_bodies(std::string_view name, std::size_t others = 0) {
    const std::size_t rows = soft_.bodies.body_of.size();
    if (integrates_by_block()) {
      soft_.phases.add(name, kWork, 0, others, kElementsPerBlock);
      soft_.phases.add_over_blocks(name, &SoftStep::on_rows_of_block<kWork>, partition().blocks_in_round(0), false);
    } else {
      const std::size_t first = others > 0 ? 0 : soft_.bodies.scripted + std::size_t{1};
      soft_.phases.add(name, kWork, first, rows - first, kElementsPerBlock);
    }
  }

  /// In a chain a block of the first round has the rows of the next one, too: its border contacts move both.
  template <RowWork kWork>
  void on_rows_of_block(Elements rank) const {
    const std::size_t width = partition().is_chain ? 2 : 1;
    const std::size_t first = width * rank.first, last = std::min<std::size_t>(first + width, partition().size());
    const std::size_t offset = soft_.bodies.scripted;
    (this->*kWork)({offset + partition().start[first], offset + partition().start[last]});
  }

  template <BatchWork kWork>
  void on_batches_of_block(Elements rank) const {
    const std::size_t first = soft_.layout.block_start[rank.first], last = soft_.layout.block_start[rank.last];
    (this->*kWork)({first, last, is_far() && !rank.is_cached ? last : 0});
  }

  template <BatchWork kWork>
  void on_batches(Elements batches) const {
    (this->*kWork)({batches.first, batches.last, is_far() ? soft_.layout.size() : 0});
  }

  /// Whether the batches are more than a core's cache holds.
  [[nodiscard]] bool is_far() const {
    return soft_.layout.size() * (sizeof(ContactBatch) + sizeof(PointBatch)) > kCoreCache;
  }

  /// Contacts in any order. Blocks are whole, as in sweeps, so that their batches stay with one core.
  template <BatchWork kWork>
  void for_contacts(std::string_view name, Border border) {
    const std::size_t first = soft_.layout.first_border();
    const auto add_border = [&] {
      soft_.phases.add(name, &SoftStep::on_batches<kWork>, first, soft_.layout.size() - first, kBatchesPerBlock);
    };
    if (comes_first(border)) add_border();
    add_blocks<kWork>(name);
    if (!comes_first(border)) add_border();
  }

  /// Contacts so that those which share a body never run at once.
  template <BatchWork kWork>
  void sweep_contacts(std::string_view name, Border border = Border::kLast) {
    if (comes_first(border)) sweep_border<kWork>(name);
    add_blocks<kWork>(name);
    if (!comes_first(border)) sweep_border<kWork>(name);
  }

  /// Blocks of a chain have border contacts of their own, so that nothing is gained by an order of their rounds.
  [[nodiscard]] bool comes_first(Border border) const {
    return border == Border::kFirst && integrates_by_block() && !partition().is_chain;
  }

  template <BatchWork kWork>
  void add_blocks(std::string_view name) {
    const std::size_t first = partition().blocks_in_round(0), second = partition().blocks_in_round(1);
    soft_.phases.add_over_blocks(name, &SoftStep::on_batches_of_block<kWork>, first, true);
    soft_.phases.add(name, &SoftStep::on_batches_of_block<kWork>, first, second, 1);
  }

  /// Colour after colour. Consecutive colours of one block each, and the overflow, are one block of one thread: to
  /// share them would take longer than to solve them.
  template <BatchWork kWork>
  void sweep_border(std::string_view name) {
    const std::vector<std::uint32_t>& start = soft_.layout.color_start;
    std::size_t few = start.front();
    const auto add_few = [&](std::size_t end) {
      soft_.phases.add(name, &SoftStep::on_batches<kWork>, few, end - few, end - few);
    };
    for (std::size_t color = 0; color + 2 < start.size(); ++color) {
      const std::size_t begin = start[color], end = start[color + 1];
      if (end - begin <= kBatchesPerBlock) continue;
      add_few(begin);
      soft_.phases.add(name, &SoftStep::on_batches<kWork>, begin, end - begin, kBatchesPerBlock);
      few = end;
    }
    add_few(soft_.layout.size());
  }

  template <RowWork kWork>
  void for_joints(std::string_view name) {
    soft_.phases.add(name, kWork, 0, soft_.joints.batches.joints.size(), kBatchesPerBlock);
  }

  /// Couplings may share bodies: one thread solves them in order.
  template <RowWork kWork>
  void for_couplings(std::string_view name) {
    const std::size_t count = soft_.joints.couplings.couplings.size();
    soft_.phases.add(name, kWork, 0, count, count);
  }

  template <RowWork kWork>
  void sweep_joints(std::string_view name) {
    const std::vector<std::uint32_t>& start = soft_.joints.batches.start;
    for (std::size_t color = 0; color + 1 < start.size(); ++color) {
      const std::size_t count = start[color + 1] - start[color];
      const bool is_overflow = color + 2 == start.size();
      soft_.phases.add(name, kWork, start[color], count, is_overflow ? count : kBatchesPerBlock);
    }
  }

  // Before and after the phases.

  void prepare_bodies() {
    make_room_for_bodies(world_, {world_.time, h_}, scratch_);
    soft_.bodies.is_round.resize(world_.bodies.size());
    soft_.bodies.staged.resize(world_.bodies.size());
    scratch_.runner.run(world_.bodies.size(), kElementsPerBlock, [&](std::size_t, std::size_t first, std::size_t last) {
      stage_bodies(world_, h_, {first, last}, scratch_, soft_.bodies);
    });
  }

  /// Light bodies under the pull of heavy ones swing faster than a substep resolves: joint_stiffness.hpp.
  void soften_loaded_joints() {
    if (world_.joints.empty()) return;
    const bool is_first = knows_no_joint_impulse(world_);
    if (is_first) estimate_joint_impulses(world_, h_, soft_.joints.estimate, scratch_);
    limit_geometric_stiffness(world_, h_, h_ / options_.substeps, scratch_);
    // The estimate serves to find joints that are too stiff; it is too coarse for a warm start.
    for (std::size_t k = 0; is_first && k < world_.joints.size(); ++k) world_.joint_states[k].impulses.fill(0);
    for (const WorldJoint& joint : world_.joints) {
      stage_body(world_, h_, joint.body_a, scratch_, soft_.bodies);
      stage_body(world_, h_, joint.body_b, scratch_, soft_.bodies);
    }
  }

  void prepare_contacts() {
    SoftManifoldWorkspace& manifolds = soft_.manifolds;
    list_manifolds(world_, h_, scratch_.runner, scratch_, scratch_.movable, soft_.bodies, manifolds);
    scratch_.mark("manifolds");
    // Three independent tasks, each too short to be divided.
    scratch_.runner.run(3, 1, [&](std::size_t task, std::size_t, std::size_t) {
      if (task == 0) color_edges(manifolds.edges, scratch_.movable, manifolds.coloring);
      if (task == 1) {
        assign_slots(world_, scratch_.movable, soft_.bodies, soft_.slots.sort);
        cut_slots(manifolds.edges, soft_.bodies, soft_.slots);
      }
      if (task == 2) find_islands(scratch_.edges, scratch_.movable, scratch_.islands);
    });
    scratch_.mark("colours and islands");
    lay_out_batches(scratch_.runner, soft_.bodies, manifolds, partition(), soft_.layout, soft_.planning);
  }

  void prepare_joints() {
    list_joints(world_, {h_, options_.substeps, options_.warm_start}, scratch_, soft_.bodies.slot_of, soft_.joints);
    list_couplings(world_, scratch_.inverse_mass, soft_.bodies.slot_of, soft_.joints);
    const double substep = h_ / options_.substeps;
    const double frequency = choose_frequency(options_, substep);
    between_ = make_softness(frequency, options_.damping, substep);
    // A body that impulses do not move passes none on: its contacts are stable at twice the frequency.
    grounded_ = make_softness(2 * frequency, options_.damping, substep);
  }

  void report_counts() {
    scratch_.mark("batches");
    if (scratch_.profile == nullptr) return;
    Profile& profile = *scratch_.profile;
    const auto manifolds = static_cast<double>(soft_.manifolds.manifolds.size());
    const std::size_t batches = soft_.layout.size();
    profile.count("manifolds", manifolds);
    profile.count("colours", static_cast<double>(soft_.manifolds.coloring.colors()));
    profile.count("colours kept", soft_.manifolds.coloring.kept ? manifolds : 0);
    profile.count("batches kept", soft_.layout.is_kept ? static_cast<double>(batches) : 0);
    profile.count("blocks", static_cast<double>(partition().size()));
    profile.count("border batches", static_cast<double>(batches - soft_.layout.block_start.back()));
    profile.count("phases", static_cast<double>(soft_.phases.size()));
    profile.count("share of SIMD lanes filled", batches > 0 ? manifolds / static_cast<double>(batches * kLanes) : 0);
  }

  StepReport conclude() {
    StepReport report;
    record_soft_contacts(world_, scratch_, report);
    for (const WorldScript& script : world_.scripts) {
      if (soft_.bodies.slot_of[script.body] != 0) report.external_work += measure_work(script.body);
    }
    report.external_work +=
        conclude_joints(world_, h_, scratch_.velocity_before, soft_.joints.list, scratch_.joint_loads);
    check_joints(world_, {world_.time, h_}, joint_error_, report);
    if (report.stopped && measure_relative_joint_error(world_) < kLostJoint) report.stopped.reset();
    report.iterations = options_.substeps;
    put_to_sleep(world_, options_.sleeping, search_, scratch_);
    scratch_.mark("memory and records");
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
  SoftScratch& scratch_;
  SoftWorkspace& soft_;
  double h_;
  float substep_;           // [s]
  double joint_error_ = 0;  // relative, before the step
  TouchSearch search_;
  ContactStaging staging_;
  Softness between_, grounded_;
};

StepReport advance_soft_step(World& world, const SoftStepOptions& options, SoftScratch& scratch, double h) {
  return SoftStep(world, options, scratch, h).run();
}

}  // namespace achilles
