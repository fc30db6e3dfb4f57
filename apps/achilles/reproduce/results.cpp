#include "reproduce/results.hpp"

#include "reproduce/plot_svg.hpp"

#include "record/base64.hpp"
#include "record/recording.hpp"
#include "record/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace achilles::reproduce {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --ink: #1c2733; --soft: #5d6b7a; --line: #d5dbe1; --back: #fbfcfd; --card: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e3e8ee; --soft: #9aa7b4; --line: #34404c; --back: #12181f; --card: #1a222b; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--back); margin: 0 auto; padding: 2rem;
  max-width: 1200px; }
h1 { font-size: 1.6rem; } h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); padding-bottom: .3rem; }
article { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 1rem 1.3rem; margin: 1rem 0; }
article h3 { margin: 0 0 .6rem; display: flex; gap: .7rem; align-items: baseline; flex-wrap: wrap; }
h3 small { color: var(--soft); font-weight: normal; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: 0; } dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; } .figures { display: grid; gap: 1rem; margin-top: 1rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 430px), 1fr)); }
figure { margin: 0; } figcaption { color: var(--soft); font-size: .85rem; } img, svg { width: 100%; height: auto; }
svg text { font: 12px system-ui, sans-serif; fill: var(--soft); } svg .title { font-weight: 600; fill: var(--ink); }
svg .legend { font-size: 11px; } svg .grid { stroke: var(--line); stroke-width: .6; } svg .axis { stroke: var(--soft); fill: none; }
tspan { font-weight: 700; } svg .curve { fill: none; stroke-width: 1.5; } .verdict { font-size: .8rem; border-radius: 99px; padding: .05rem .7rem; color: #fff; }
.verdict.holds { background: #1b8a5a; } .verdict.partly { background: #b7791f; } .verdict.differs { background: #c0392b; }
.verdict.missing { background: #7f8c8d; } .clause b { font-weight: 600; } dd.differs { color: #c0392b; }
table { border-collapse: collapse; } td, th { padding: .15rem .8rem .15rem 0; text-align: left; }
)";

const char* class_of(const Outcome& outcome) {
  if (!outcome.failure.empty()) return "missing";
  switch (verdict_of(outcome)) {
    case Verdict::kHolds:
      return "holds";
    case Verdict::kPartly:
      return "partly";
    case Verdict::kDiffers:
      break;
  }
  return "differs";
}

bool times_differ(const Outcome& outcome) {
  return std::any_of(outcome.clauses.begin(), outcome.clauses.end(),
                     [](const Clause& clause) { return clause.is_of_time && !clause.holds; }) ||
         outcome.times_differ;
}

std::string describe_clause(const Clause& clause) {
  const char* const word = clause.holds ? "holds" : clause.is_of_time ? "differs in time" : "differs";
  return fmt::format("{}: {}: {}", clause.claim, clause.here, word);
}

/// A cell of a Markdown table holds one line and no bar.
std::string escape_cell(const std::string& text) {
  std::string cell;
  for (char c : text) {
    if (c == '|') cell += '\\';
    cell += c == '\n' ? ' ' : c;
  }
  return cell;
}

std::string draw_still(const Still& still) {
  const std::filesystem::path picture = still.recording.string() + ".png";
  RenderOptions options;
  options.width = 640;
  options.height = 400;
  render_png(Recording(still.recording.string()), still.time, picture.string(), options);
  std::ifstream file(picture, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  file.close();
  std::filesystem::remove(picture);
  return fmt::format("<figure><img alt=\"{0}\" src=\"data:image/png;base64,{1}\"><figcaption>{0}</figcaption></figure>",
                     escape_html(still.caption), encode_base64(bytes));
}

std::string make_article(const Result& result) {
  const Experiment& experiment = result.experiment;
  const Outcome& outcome = result.outcome;
  std::string html =
      fmt::format("<article id=\"{0}\"><h3>{0} {1} <small>{2}</small> <span class=\"verdict {3}\">{4}</span></h3><dl>",
                  escape_html(experiment.id), escape_html(experiment.title), escape_html(experiment.where),
                  class_of(outcome), word_for(outcome));
  const auto add = [&html](const char* name, const std::string& text) {
    if (!text.empty()) html += fmt::format("<dt>{}</dt><dd>{}</dd>", name, escape_html(text));
  };
  add("given", experiment.parameters);
  add("the paper", experiment.claim);
  add("here", outcome.failure);
  for (const Clause& clause : outcome.clauses) {
    html += fmt::format("<dt>{0}</dt><dd class=\"clause {0}\">{1}: <b>{2}</b></dd>", clause.holds ? "holds" : "differs",
                        escape_html(clause.claim), escape_html(clause.here));
  }
  add("here", outcome.ours);
  add("note", outcome.note);
  html += "</dl><div class=\"figures\">";
  for (const Plot& plot : outcome.plots) html += "<figure>" + draw_svg(plot) + "</figure>";
  for (const Still& still : outcome.stills) html += draw_still(still);
  return html + "</div></article>\n";
}

}  // namespace

Verdict verdict_of(const Outcome& outcome) {
  if (outcome.clauses.empty()) return outcome.verdict;
  std::size_t seen = 0, of_motion = 0;
  for (const Clause& clause : outcome.clauses) {
    if (clause.is_of_time) continue;
    ++of_motion;
    seen += clause.holds ? 1 : 0;
  }
  if (seen == of_motion) return Verdict::kHolds;
  return seen > 0 ? Verdict::kPartly : Verdict::kDiffers;
}

const char* word_for(const Outcome& outcome) {
  if (!outcome.failure.empty()) return "did not run";
  switch (verdict_of(outcome)) {
    case Verdict::kHolds:
      return times_differ(outcome) ? "differs in time" : "holds";
    case Verdict::kPartly:
      return "holds partly";
    case Verdict::kDiffers:
      break;
  }
  return "differs";
}

std::vector<std::string> describe_clauses(const Outcome& outcome) {
  std::vector<std::string> lines;
  for (const Clause& clause : outcome.clauses) lines.push_back(describe_clause(clause));
  return lines;
}

/// How many experiments there are of each kind.
std::string count_words(const std::vector<PaperResults>& papers) {
  std::string text;
  for (const char* word : {"holds", "holds partly", "differs in time", "differs", "did not run"}) {
    std::string names;
    int count = 0;
    for (const PaperResults& paper : papers) {
      for (const Result& result : paper.results) {
        if (std::string_view(word_for(result.outcome)) != word) continue;
        ++count;
        names += (names.empty() ? "" : ", ") + result.experiment.id;
      }
    }
    if (count > 0) text += fmt::format("| {} | {} | {} |\n", word, count, names);
  }
  return text;
}

std::string make_markdown(const std::vector<PaperResults>& papers) {
  std::string text =
      "# The papers' experiments, run by Achilles\n\n"
      "Made by `./achilles reproduce all --markdown docs/RESULTS.md`; `--report DIR` adds a page with plots and "
      "stills.\n"
      "Each claim of a paper is split into clauses; each clause is asserted by the program. *holds*: every clause is "
      "seen here.\n"
      "*holds partly*: some are not, and the note says why. *differs*: none is. *differs in time*: the motion is as "
      "claimed, the\n"
      "times of this run are not. Times are of one machine and say little; ratios of one run say more.\n\n"
      "| | experiments | |\n|---|---|---|\n" +
      count_words(papers);
  for (const PaperResults& paper : papers) {
    text += fmt::format("\n## {}\n\n| | experiment | the paper | here | |\n|---|---|---|---|---|\n", paper.title);
    for (const Result& result : paper.results) {
      const std::string& note = result.outcome.note;
      std::string here;
      for (const std::string& line : describe_clauses(result.outcome)) here += escape_cell(line) + "<br>";
      here += escape_cell(result.outcome.failure + result.outcome.ours);
      const bool has_sentence = !here.empty() && !here.ends_with("<br>");
      text += fmt::format("| {} | {} ({}): {} | {} | {}{}{} | {} |\n", result.experiment.id,
                          escape_cell(result.experiment.title), escape_cell(result.experiment.where),
                          escape_cell(result.experiment.parameters), escape_cell(result.experiment.claim), here,
                          has_sentence && !note.empty() ? ". " : "", escape_cell(note), word_for(result.outcome));
    }
  }
  return text;
}

std::string make_page(const std::vector<PaperResults>& papers) {
  std::string html = fmt::format(
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\"><title>Achilles: the papers' "
      "experiments</title><style>{}</style>"
      "</head><body>\n<h1>The papers' experiments, run by Achilles</h1>\n<table>",
      kStyle);
  for (const PaperResults& paper : papers) {
    html += fmt::format("<tr><th><a href=\"#{}\">{}</a></th><td>", paper.name, escape_html(paper.title));
    for (const Result& result : paper.results) {
      html += fmt::format("<a class=\"verdict {}\" href=\"#{}\">{}</a> ", class_of(result.outcome),
                          escape_html(result.experiment.id), escape_html(result.experiment.id));
    }
    html += "</td></tr>\n";
  }
  html += "</table>\n";
  for (const PaperResults& paper : papers) {
    html += fmt::format("<h2 id=\"{}\">{}</h2>\n", paper.name, escape_html(paper.title));
    for (const Result& result : paper.results) html += make_article(result);
  }
  return html + "</body></html>\n";
}

}  // namespace achilles::reproduce
