// What a live page appends is what a page of the same instant holds; a comparison holds all its runs.
#include "record/page_reader.hpp"
#include "record/small_world.hpp"

#include "record/page.hpp"
#include "record/page_instant.hpp"
#include "record/recording.hpp"
#include "record/recording_writer.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace achilles {
namespace {

using nlohmann::json;
using test::decode_base64;
using test::make_balls;
using test::make_contacts;
using test::make_scene;
using test::read_whole;
using test::record;
using test::set_state;
using test::TemporaryFolder;

/// The value that the script of a page made from a bare template assigns to `name`.
json read_assignment(const std::string& path, const std::string& name) {
  const std::string text = read_whole(path);
  const std::string start = "<script>window." + name + " = ";
  const std::size_t from = text.find(start) + start.size();
  const std::size_t to = text.find(";</script>", from);
  return json::parse(text.substr(from, to - from));
}

PageOptions bare_template(const TemporaryFolder& folder) {
  std::ofstream(folder.file("template.html")) << "<script>/*ACHILLES_DATA*/</script>";
  PageOptions options;
  options.template_file = folder.file("template.html");
  return options;
}

TEST(LivePage, AnInstantIsEncodedAsThePageOfThatInstantHoldsIt) {
  const TemporaryFolder folder;
  PageOptions options = bare_template(folder);
  options.live = true;
  const Scene scene = make_scene();
  for (const std::uint64_t state : {0U, 3U, 8U}) {
    World world(scene);
    set_state(world, state);
    const std::vector<ContactRecord> contacts = make_contacts(state, world.bodies.size());
    Instant instant;
    {
      RecordingWriter recorder(folder.file("run.h5"), world, scene);
      recorder.instant(world, contacts, 0.25);
      recorder.finish(RunReport{});
    }
    const Recording recording(folder.file("run.h5"));
    recording.read(0, instant);
    export_page(recording, folder.file("page.html"), options);
    const json page = read_assignment(folder.file("page.html"), "achilles_recording");
    EXPECT_EQ(page["header"]["live"], true);
    std::string bytes;
    encode_page_instant(instant, bytes);
    EXPECT_EQ(bytes, test::inflate_all(decode_base64(page["data"]))) << contacts.size();
  }
}

TEST(Comparison, HoldsEveryRunUnderItsName) {
  const TemporaryFolder folder;
  const PageOptions options = bare_template(folder);
  record(folder.file("a.h5"), make_balls(2), 5);
  record(folder.file("b.h5"), make_balls(2), 9);
  const Recording a(folder.file("a.h5")), b(folder.file("b.h5"));
  const std::vector<ComparedRun> runs{{"first", "yes", &a}, {"</script>second", "", &b}};
  export_comparison(runs, folder.file("compare.html"), options);
  const json page = read_assignment(folder.file("compare.html"), "achilles_comparison");
  ASSERT_EQ(page.size(), 2U);
  EXPECT_EQ(page[0]["name"], "first");
  EXPECT_EQ(page[1]["name"], "</script>second");
  EXPECT_EQ(page[0]["certified"], "yes");
  EXPECT_FALSE(page[1].contains("certified"));
  EXPECT_EQ(page[0]["header"]["instants"], 5);
  EXPECT_EQ(page[1]["header"]["instants"], 9);
  export_page(b, folder.file("b.html"), options);
  EXPECT_EQ(page[1]["data"], read_assignment(folder.file("b.html"), "achilles_recording")["data"]);
  EXPECT_THROW(export_comparison({}, folder.file("none.html"), options), std::runtime_error);
}

}  // namespace
}  // namespace achilles
