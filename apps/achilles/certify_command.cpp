// What a recording claims, computed again.
#include "commands.hpp"
#include "outputs.hpp"
#include "recording_file.hpp"
#include "terminal.hpp"

#include "record/certify/certify.hpp"
#include "record/output_file.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

namespace achilles::program {
namespace {

struct CertifyArguments {
  std::string recording;
  std::string report;  // JSON; empty: none
  int threads = 1;
};

void print_certificate(const Certificate& certificate) {
  fmt::print("{}: {}, {} instants from {:g} s to {:g} s\n\n", certificate.recording, show_text(certificate.method),
             certificate.instants, certificate.start, certificate.end);
  for (const Verdict& verdict : certificate.verdicts) {
    fmt::print("  {:<17} {:<9}", verdict.property, name_of(verdict.finding));
    if (verdict.instant || verdict.limit) {
      fmt::print("{:>10.3g}", verdict.worst);
      if (verdict.limit) fmt::print(" (allowed {:.3g})", *verdict.limit);
      fmt::print(" {}", verdict.unit);
      if (verdict.instant) fmt::print(" at {:.6g} s", verdict.time);
    }
    fmt::print("{}{}\n", verdict.instant || verdict.limit ? "; " : "", show_text(verdict.detail));
  }
  fmt::print("\n{}\n", certificate.holds() ? "everything that the method promises holds"
                                           : "the recording does NOT hold what its method promises");
}

int certify_recording(const CertifyArguments& arguments) {
  const Recording recording = open_recording(arguments.recording);
  const NamedFile report{"--report", arguments.report};
  check_outputs({{"the recording", arguments.recording}}, {&report, 1});
  catch_interrupts();
  CertifyOptions options;
  options.threads = arguments.threads;
  options.progress = [](double) { return !is_interrupted(); };
  const Certificate certificate = certify(recording, options);
  print_certificate(certificate);
  if (!arguments.report.empty()) {
    replace_file(arguments.report, to_json(certificate).dump(1) + "\n");
  }
  return certificate.holds() ? kDone : kFailed;
}

}  // namespace

void describe_certify(CLI::App& app, std::function<int()>& chosen) {
  const auto arguments = std::make_shared<CertifyArguments>();
  CLI::App* command =
      app.add_subcommand("certify", "Compute anew what a recording claims, without trusting its method");
  command->add_option("RECORDING", arguments->recording, "Recording (HDF5)")->required();
  command->add_option("--report", arguments->report, "Write the verdicts (JSON)");
  command->add_option("--threads,-t", arguments->threads, "Threads")->check(CLI::Range(1, 1024));
  command->callback([arguments, &chosen] { chosen = [arguments] { return certify_recording(*arguments); }; });
}

}  // namespace achilles::program
