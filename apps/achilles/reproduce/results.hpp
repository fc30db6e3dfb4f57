// What came out of the experiments, for people: a Markdown table and a page with plots and stills.
#pragma once

#include "reproduce/experiment.hpp"

#include <string>
#include <vector>

namespace achilles::reproduce {

struct Result {
  Experiment experiment;
  Outcome outcome;
};

struct PaperResults {
  std::string name;   // as on the command line: "vouga"
  std::string title;  // authors, title, year
  std::vector<Result> results;
};

/// Of the clauses that are not of time.
[[nodiscard]] Verdict verdict_of(const Outcome& outcome);

/// "holds", "holds partly", "differs", "differs in time" (the motion is as claimed, measured times are not) or "did not
/// run".
[[nodiscard]] const char* word_for(const Outcome& outcome);

/// One line per clause: the paper's statement, our figure, and whether they agree.
[[nodiscard]] std::vector<std::string> describe_clauses(const Outcome& outcome);

/// One table per paper.
[[nodiscard]] std::string make_markdown(const std::vector<PaperResults>& papers);

/// One self-contained page: every experiment with its plots; stills of its recordings. Throws std::runtime_error when a
/// recording cannot be drawn.
[[nodiscard]] std::string make_page(const std::vector<PaperResults>& papers);

}  // namespace achilles::reproduce
