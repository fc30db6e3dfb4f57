// A page holds what the recording holds, as much of it as fits, and no text of a scene can break out of it.
#include "record/page_reader.hpp"

#include "record/page.hpp"
#include "record/recording.hpp"
#include "record/recording_writer.hpp"
#include "record/sampling.hpp"
#include "support/source_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace achilles {
namespace {

using test::json;
using test::kTemplate;
using test::make_balls;
using test::make_contacts;
using test::make_scene;
using test::Page;
using test::PageTest;
using test::read_whole;
using test::record;
using test::set_state;
using test::TemporaryFolder;
using test::write_file;
using ::testing::HasSubstr;

TEST(Sampling, KeepsTheEndsAndSpreadsTheRestEvenly) {
  for (const std::size_t total : {1U, 2U, 7U, 100U, 12'345U}) {
    for (const std::size_t count : {1U, 2U, 3U, 7U, 99U, 5000U}) {
      const std::vector<std::size_t> chosen = spread_instants(total, count);
      ASSERT_EQ(chosen.size(), std::min(total, count));
      EXPECT_EQ(chosen.front(), 0U);
      if (chosen.size() < 2) continue;
      EXPECT_EQ(chosen.back(), total - 1);
      // Rounding moves each end of a gap by at most one half.
      const double gap = static_cast<double>(total - 1) / static_cast<double>(chosen.size() - 1);
      for (std::size_t k = 1; k < chosen.size(); ++k) {
        EXPECT_NEAR(static_cast<double>(chosen[k] - chosen[k - 1]), gap, 1.0);
        EXPECT_GT(chosen[k], chosen[k - 1]);
      }
    }
  }
}

TEST_F(PageTest, EveryArrayIsThatOfTheRecording) {
  const Scene scene = make_scene();
  const Page page = make_page(scene, 37);
  const Recording recording(folder.file("run.h5"));
  EXPECT_EQ(page.header["instants"], 37);
  EXPECT_EQ(page.header["recorded_instants"], 37);
  EXPECT_EQ(page.header["decimated"], false);
  EXPECT_EQ(page.header["over_budget"], false);
  const auto time = page.array<double>("time");
  const auto position = page.array<float>("position");
  const auto orientation = page.array<std::int16_t>("orientation");
  const auto velocity = page.array<float>("velocity");
  const auto spin = page.array<float>("spin");
  const auto asleep = page.array<std::uint8_t>("asleep");
  const auto penetration = page.array<double>("penetration");
  const auto momentum = page.array<double>("momentum");
  const auto iterations = page.array<double>("iterations");
  Instant instant;
  for (std::size_t t = 0; t < 37; ++t) {
    recording.read(t, instant);
    EXPECT_EQ(time[t], instant.time);
    EXPECT_EQ(penetration[t], instant.scalars.penetration);
    EXPECT_EQ(iterations[t], static_cast<double>(instant.scalars.iterations));
    EXPECT_EQ(momentum[3 * t + 1], instant.scalars.momentum.y());
    for (std::size_t k = 0; k < 12; ++k) {
      EXPECT_EQ(position[12 * t + k], static_cast<float>(instant.position[k]));
      EXPECT_EQ(velocity[12 * t + k], static_cast<float>(instant.velocity[k]));
      EXPECT_EQ(spin[12 * t + k], static_cast<float>(instant.spin[k]));
    }
    // Rounded to the nearest of 65,535 values between -1 and 1.
    for (std::size_t k = 0; k < 16; ++k) {
      EXPECT_NEAR(orientation[16 * t + k] / 32767.0, instant.orientation[k], 0.5001 / 32767);
    }
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ((asleep[t] >> k) & 1, instant.asleep[k]);
  }
}

TEST_F(PageTest, ContactsOfEachInstantAreWhereTheOffsetsSay) {
  const Scene scene = make_scene();
  const Page page = make_page(scene, 29);
  const Recording recording(folder.file("run.h5"));
  const auto offset = page.array<std::uint32_t>("contact_offset");
  const auto body = page.array<std::uint32_t>("contact_body");
  const auto position = page.array<float>("contact_position");
  const auto normal = page.array<float>("contact_normal");
  const auto gap = page.array<float>("contact_gap");
  const auto impulse = page.array<float>("contact_impulse");
  ASSERT_EQ(offset.size(), 30U);
  Instant instant;
  for (std::size_t t = 0; t < 29; ++t) {
    recording.read(t, instant);
    ASSERT_EQ(offset[t + 1] - offset[t], instant.contact_count());
    for (std::size_t k = 0; k < instant.contact_count(); ++k) {
      const std::size_t at = offset[t] + k;
      EXPECT_EQ(body[2 * at], instant.contact_a[k]);
      EXPECT_EQ(body[2 * at + 1], instant.contact_b[k]);
      EXPECT_EQ(gap[at], static_cast<float>(instant.contact_gap[k]));
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(position[3 * at + i], static_cast<float>(instant.contact_position[3 * k + i]));
        EXPECT_EQ(normal[3 * at + i], static_cast<float>(instant.contact_normal[3 * k + i]));
        EXPECT_EQ(impulse[3 * at + i], static_cast<float>(instant.contact_impulse[3 * k + i]));
      }
    }
  }
}

TEST_F(PageTest, TheHeaderDescribesRunAndBodies) {
  const Page page = make_page(make_scene(), 2);
  const json& header = page.header;
  EXPECT_EQ(header["format"], "achilles-page");
  EXPECT_EQ(header["version"], 1);
  EXPECT_EQ(header["scene"], make_scene().name);
  EXPECT_EQ(header["method"], "lcp-fixed");
  EXPECT_EQ(header["gravity"], json::array({0.0, 0.0, -9.81}));
  EXPECT_EQ(header["complete"], true);
  EXPECT_EQ(header["report"]["steps"], 0);
  ASSERT_EQ(header["bodies"].size(), 4U);
  EXPECT_EQ(header["bodies"][0]["kind"], "fixed");
  EXPECT_TRUE(header["bodies"][0]["mass"].is_null());
  EXPECT_EQ(header["bodies"][2]["mass"], 2.0);
  EXPECT_EQ(header["bodies"][1]["material"], "rubber");
  EXPECT_EQ(header["shapes"][header["bodies"][1]["shape"].get<std::size_t>()]["box"]["size"], json::array({1, 2, 3}));
  EXPECT_THAT(page.text, HasSubstr("</script><p>the end"));
}

// Budgets from everything to almost nothing: the data never exceeds them, and velocities go before instants do.
TEST_F(PageTest, WhatDoesNotFitTheBudgetIsDecimatedAndVelocitiesGiveWayFirst) {
  const Scene scene = make_balls(20);
  record(folder.file("run.h5"), scene, 400);
  const std::size_t everything = make_page().encoded;
  bool saw_without_velocity = false;
  std::size_t instants = 401;
  for (const double share : {1.0, 0.99, 0.7, 0.5, 0.3, 0.1, 0.02}) {
    const auto budget = static_cast<std::size_t>(share * static_cast<double>(everything));
    const Page page = make_page(budget);
    const std::size_t kept = page.header["instants"];
    EXPECT_LE(page.encoded, budget);
    EXPECT_LE(kept, instants);
    instants = kept;
    const bool has_velocity = !page.entry("velocity").is_null();
    EXPECT_EQ(has_velocity, share == 1.0);
    if (!has_velocity && kept == 400) saw_without_velocity = true;
    EXPECT_EQ(page.header["decimated"], kept < 400);
    EXPECT_EQ(page.header["over_budget"], false);
    // Nothing is wasted: twice as many instants would not have fitted.
    if (kept < 400) {
      EXPECT_GT(2 * page.encoded, budget);
    }
    const auto time = page.array<double>("time");
    EXPECT_EQ(time.front(), 0.0);
    EXPECT_EQ(time.back(), 399 * 0.005);
  }
  EXPECT_TRUE(saw_without_velocity);
}

TEST_F(PageTest, TwoInstantsAreKeptEvenWhereTheyExceedTheBudget) {
  const Page page = make_page(make_balls(50), 30, 100);
  EXPECT_EQ(page.header["instants"], 2);
  EXPECT_EQ(page.header["over_budget"], true);
  EXPECT_EQ(page.array<double>("time"), (std::vector<double>{0.0, 29 * 0.005}));
}

// The state that is kept is that of the kept instant; what steps report is gathered over the instants left out.
TEST_F(PageTest, PeaksAndSumsBetweenKeptInstantsSurvive) {
  const Scene scene = make_balls(20);
  World world(scene);
  {
    RecordingWriter recorder(folder.file("run.h5"), world, scene);
    for (std::uint64_t k = 0; k < 300; ++k) {
      set_state(world, k);
      StepReport step;
      step.iterations = k == 131 ? 77 : 1;
      step.impacts = 2;
      recorder.after_step(world, step, 0.5, {}, {});
      recorder.instant(world, {}, k == 173 ? 0.25 : 1e-6);
    }
    recorder.finish(RunReport{});
  }
  const Page page = make_page(20'000);
  ASSERT_LT(page.header["instants"], 150);
  const auto penetration = page.array<double>("penetration");
  const auto iterations = page.array<double>("iterations");
  const auto impacts = page.array<double>("impacts");
  const auto seconds = page.array<double>("step_seconds");
  const auto total = [](const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0); };
  EXPECT_EQ(*std::max_element(penetration.begin(), penetration.end()), 0.25);
  EXPECT_EQ(std::count(penetration.begin(), penetration.end(), 0.25), 1);
  EXPECT_EQ(*std::max_element(iterations.begin(), iterations.end()), 77);
  EXPECT_EQ(total(impacts), 600);
  EXPECT_EQ(total(seconds), 150);
}

TEST_F(PageTest, NoTextOfASceneEndsTheScript) {
  Scene scene = make_scene();
  const std::string evil = "</script><script>alert(1)</script><!-- \xE2\x80\xA8 \xE2\x80\xA9 \"\\ ü";
  scene.name = evil;
  scene.source = evil;
  scene.bodies[1].name = evil;
  scene.materials[1].name = evil;
  scene.bodies[1].material = scene.bodies[3].material = evil;
  const Page page = make_page(scene, 3);
  EXPECT_EQ(page.header["scene"], evil);
  EXPECT_EQ(page.header["source"], evil);
  EXPECT_EQ(page.header["bodies"][1]["name"], evil);
  EXPECT_EQ(page.header["bodies"][1]["material"], evil);
  // The template has one opening and one closing tag; the recording adds none, nor a line separator.
  EXPECT_EQ(page.text.find("<script", page.text.find("<script") + 1), std::string::npos);
  EXPECT_EQ(page.text.find("</script", page.text.find("</script") + 1), std::string::npos);
  EXPECT_EQ(page.text.find("<!--"), std::string::npos);
  EXPECT_EQ(page.text.find("\xE2\x80\xA8"), std::string::npos);
}

TEST_F(PageTest, BytesThatAreNotTextAreReplaced) {
  Scene scene = make_scene();
  scene.bodies[1].name = "bad \xFF\xC3 name";
  const Page page = make_page(scene, 1);
  EXPECT_EQ(page.header["bodies"][1]["name"], "bad \xEF\xBF\xBD\xEF\xBF\xBD name");
}

TEST_F(PageTest, StatesThatAreNotNumbersDoNotStopTheExport) {
  const Scene scene = make_balls(2);
  World world(scene);
  {
    RecordingWriter recorder(folder.file("run.h5"), world, scene);
    world.bodies.position[0] = Vec3(NAN, INFINITY, 1e300);
    world.bodies.orientation[1] = Quat(NAN, 0, 0, 2);
    recorder.instant(world, {}, NAN);
    recorder.finish(RunReport{});
  }
  const Page page = make_page();
  const auto position = page.array<float>("position");
  EXPECT_TRUE(std::isnan(position[0]));
  EXPECT_TRUE(std::isinf(position[1]));
  EXPECT_EQ(page.array<std::int16_t>("orientation")[4], 0);
  EXPECT_EQ(page.array<std::int16_t>("orientation")[7], 32767);
  EXPECT_TRUE(std::isnan(page.array<double>("penetration")[0]));
}

TEST_F(PageTest, ARunWithoutInstantsAndAWorldWithoutBodiesBecomePages) {
  const Page none = make_page(make_scene(), 0);
  EXPECT_EQ(none.header["instants"], 0);
  EXPECT_EQ(none.array<std::uint32_t>("contact_offset"), std::vector<std::uint32_t>{0});
  const Page empty = make_page(make_balls(0), 5);
  EXPECT_EQ(empty.header["instants"], 5);
  EXPECT_TRUE(empty.array<float>("position").empty());
}

TEST_F(PageTest, ARecordingThatWasCutOffSaysSo) {
  const Scene scene = make_scene();
  World world(scene);
  {
    RecordingWriter recorder(folder.file("run.h5"), world, scene);
    for (std::uint64_t k = 0; k < 6; ++k) {
      set_state(world, k);
      recorder.instant(world, make_contacts(k, world.bodies.size()), 0);
    }
  }
  const Page page = make_page();
  EXPECT_EQ(page.header["complete"], false);
  EXPECT_TRUE(page.header["report"].is_null());
  EXPECT_EQ(page.header["instants"], 6);
}

TEST_F(PageTest, ADamagedTemplateIsRefusedAndNothingIsWritten) {
  record(folder.file("run.h5"), make_scene(), 2);
  const Recording recording(folder.file("run.h5"));
  const std::string path = folder.file("template.html");
  const std::string out = folder.file("run.html");
  const auto message = [&] {
    try {
      export_page(recording, out, {1000, path});
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message(), HasSubstr(path + ": cannot read the template of the page: No such file"));
  write_file(path, "");
  EXPECT_THAT(message(), HasSubstr(path + ": not the template of a page"));
  write_file(path, "<html>/*ACHILLES_DATA</html>");
  EXPECT_THAT(message(), HasSubstr("/*ACHILLES_DATA*/ exactly once"));
  write_file(path, kTemplate + kTemplate);
  EXPECT_THAT(message(), HasSubstr("exactly once"));
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(PageTest, APageThatCannotBeWrittenIsAnError) {
  record(folder.file("run.h5"), make_scene(), 2);
  write_file(folder.file("template.html"), kTemplate);
  const Recording recording(folder.file("run.h5"));
  EXPECT_THROW(export_page(recording, folder.file("no/such/folder.html"), {1000, folder.file("template.html")}),
               std::runtime_error);
  EXPECT_THROW(export_page(recording, "/dev/full", {1000, folder.file("template.html")}), std::runtime_error);
  EXPECT_TRUE(std::filesystem::exists("/dev/full"));
}

// Tests run from a build folder inside the source tree or from one elsewhere.
TEST_F(PageTest, TheTemplateIsFoundFromTheProgramOrTheErrorSaysWhereItWasSought) {
  record(folder.file("run.h5"), make_scene(), 2);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  if (program.starts_with(source_folder().string() + "/")) {
    export_page(Recording(folder.file("run.h5")), folder.file("run.html"));
    EXPECT_EQ(Page(folder.file("run.html")).header["instants"], 2);
    return;
  }
  try {
    EXPECT_THAT(find_page_template(), HasSubstr("template.html"));
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("share/achilles/template.html"));
  }
}

}  // namespace
}  // namespace achilles
