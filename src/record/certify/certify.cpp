#include "record/certify/certify.hpp"

#include "record/certify/checks.hpp"
#include "world/penetration_meter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace achilles {
namespace {

using Json = nlohmann::ordered_json;

Verdict check_integrity(const Recording& recording) {
  Verdict verdict;
  verdict.property = "integrity";
  verdict.unit = "instants changed";
  verdict.finding = Finding::kHolds;
  verdict.limit = 0;
  verdict.detail = "every instant is as it was written";
  if (const std::optional<std::size_t> altered = recording.find_first_altered()) {
    verdict.finding = Finding::kFails;
    verdict.worst = 1;
    verdict.instant = altered;
    verdict.time = recording.time(*altered);
    verdict.detail = "this instant, or the head of the recording, was changed after it was written";
  }
  return verdict;
}

/// Goes through a recording once, with all checks side by side.
class Examination {
 public:
  Examination(const Recording& recording, World world, const CertifyOptions& options)
      : recording_(recording),
        options_(options),
        promises_(promises_of(recording.head())),
        scale_{recording.head().step, recording.head().gravity.norm()},
        world_(std::move(world)),
        before_(world_),
        runner_(options.threads),
        motion_(promises_, options.threads),
        energy_(world_),
        impulse_(world_),
        contact_(world_) {}

  std::vector<Verdict> run() {
    Instant instant;
    for (std::size_t k = 0; k < recording_.instants(); ++k) {
      if (options_.progress &&
          !options_.progress(static_cast<double>(k) / static_cast<double>(recording_.instants()))) {
        throw std::runtime_error(recording_.path() + ": the examination was interrupted");
      }
      recording_.read(k, instant);
      std::swap(world_, before_);
      place(instant, world_);
      see(instant, k);
    }
    std::vector<Verdict> verdicts{book_.verdict()};
    const auto append = [&verdicts](std::vector<Verdict> more) {
      verdicts.insert(verdicts.end(), more.begin(), more.end());
    };
    append(motion_.verdicts());
    verdicts.push_back(energy_.verdict(promises_));
    verdicts.push_back(impulse_.verdict(promises_));
    append(contact_.verdicts(promises_));
    verdicts.push_back(joint_.verdict(promises_));
    return verdicts;
  }

 private:
  void see(const Instant& instant, std::size_t k) {
    MeasuredPenetration measured;
    if (!world_.first_not_finite()) {
      measured = meter_.measure(world_, runner_, detection_);
      motion_.see_instant(world_, meter_, k);
    } else {
      measured.depth = std::numeric_limits<double>::quiet_NaN();
      motion_.see_lost_instant(world_, k);
    }
    book_.see(instant, world_, measured.depth, k);
    const double joint_error = joint_.see(instant, world_, promises_, k);
    const double off = std::max(measured.depth, joint_error);  // what may be moved back
    if (k > 0) motion_.see(before_, world_, std::max(off, off_before_), scale_, k);
    if (k > 0) impulse_.see(instant, before_, world_, promises_, scale_, k);
    off_before_ = off;
    contact_.see(instant, world_, promises_, scale_, k);
    double overlap = 0;
    if (k == 0) meter_.for_each_overlap([&](std::uint32_t, std::uint32_t, double depth) { overlap += depth; });
    const Findings findings{measured.depth, overlap, joint_error, motion_.flying()};
    energy_.see(instant, before_, world_, findings, promises_, scale_, k);
  }

  const Recording& recording_;
  const CertifyOptions& options_;
  PromisedBounds promises_;
  Scale scale_;
  World world_, before_;
  BlockRunner runner_;
  DetectWorkspace detection_;
  PenetrationMeter meter_;
  double off_before_ = 0;  // [m] depth or joint error
  BookCheck book_;
  MotionCheck motion_;
  EnergyCheck energy_;
  ImpulseCheck impulse_;
  ContactCheck contact_;
  JointCheck joint_;
};

}  // namespace

bool Certificate::holds() const {
  return std::none_of(verdicts.begin(), verdicts.end(),
                      [](const Verdict& verdict) { return verdict.finding == Finding::kFails; });
}

Certificate certify(const Recording& recording, const CertifyOptions& options) {
  Certificate certificate;
  certificate.recording = recording.path();
  certificate.method = recording.head().method;
  certificate.instants = recording.instants();
  if (certificate.instants > 0) {
    certificate.start = recording.time(0);
    certificate.end = recording.time(certificate.instants - 1);
  }
  certificate.verdicts.push_back(check_integrity(recording));
  const auto fail = [&certificate](const char* property, const char* reason) {
    certificate.verdicts.push_back({property, Finding::kFails, 0, std::nullopt, "", std::nullopt, 0, reason});
  };
  std::optional<World> world;
  try {
    world = rebuild_world(recording);
  } catch (const std::runtime_error& error) {
    fail("scene", error.what());
    return certificate;
  }
  try {
    for (Verdict& verdict : Examination(recording, std::move(*world), options).run()) {
      certificate.verdicts.push_back(std::move(verdict));
    }
  } catch (const std::invalid_argument& error) {
    fail("motion", error.what());  // a stage was handed numbers that no world has
  }
  return certificate;
}

std::string_view name_of(Finding finding) {
  switch (finding) {
    case Finding::kHolds:
      return "holds";
    case Finding::kFails:
      return "FAILS";
    case Finding::kMeasured:
      return "measured";
    case Finding::kUnchecked:
      break;
  }
  return "not seen";
}

Json to_json(const Certificate& certificate) {
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  Json list = Json::array();
  for (const Verdict& verdict : certificate.verdicts) {
    list.push_back({{"property", verdict.property},
                    {"finding", name_of(verdict.finding)},
                    {"worst", number(verdict.worst)},
                    {"limit", verdict.limit ? number(*verdict.limit) : Json(nullptr)},
                    {"unit", verdict.unit},
                    {"instant", verdict.instant ? Json(*verdict.instant) : Json(nullptr)},
                    {"time", number(verdict.time)},
                    {"detail", verdict.detail}});
  }
  return {{"recording", certificate.recording},
          {"method", certificate.method},
          {"instants", certificate.instants},
          {"start", number(certificate.start)},
          {"end", number(certificate.end)},
          {"holds", certificate.holds()},
          {"verdicts", list}};
}

}  // namespace achilles
