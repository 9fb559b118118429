#include <algorithm>
#include <ashlar/base/text.hpp>
#include <cstdint>
#include <iomanip>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>

#include "numbers.hpp"
#include "solve/column_reports.hpp"
#include "solve/report.hpp"

namespace ashlar::app {

namespace {

std::string method_of(const Outcome& outcome) {
  const SolveOptions& options = outcome.options;
  if (options.method.variant == VariantKind::single_reduction) return "single-reduction CG";
  if (options.method.variant == VariantKind::pipelined) return "pipelined CG";
  switch (outcome.solution.solver) {
    case SolverKind::automatic:
    case SolverKind::cg:
      return "CG";
    case SolverKind::minres:
      return "MINRES";
    case SolverKind::gmres:
      return "GMRES";
    case SolverKind::bicgstab:
      return "BiCGStab";
    case SolverKind::block_cg:
      break;
  }
  return "block CG for " + count_text(options.method.num_rhs, "right-hand side");
}

/// The bytes that streaming ranks sent, and their hidden shares; nothing if no rank streamed.
std::string ranks_streamed_line(const Outcome& outcome) {
  std::size_t count = 0;
  std::uint64_t most = 0;
  std::optional<double> least_hidden;
  for (const RankAccount& rank : outcome.ranks) {
    if (!rank.sent_bytes) continue;
    ++count;
    most = std::max(most, *rank.sent_bytes);
    if (rank.hidden_share) least_hidden = std::min(least_hidden.value_or(1), *rank.hidden_share);
  }
  if (count == 0) return "";
  std::string line = text("streamed   on ", count, " of ", outcome.ranks.size(), " ranks, from the host's memory: ");
  line += has_device_memory<Execution> ? bytes_text(most) + " a product at most"
                                       : "in place, as host and device are one memory";
  if (least_hidden) line += text("; ", short_number(100 * *least_hidden), " % hidden at least");
  return line + '\n';
}

/// How what ranks need of each other went between them in the solve.
std::string halo_line(const Outcome& outcome) {
  HaloCount sent;
  std::size_t staged = 0;
  for (const RankAccount& rank : outcome.ranks) {
    sent += rank.halo.sent;
    if (rank.halo.is_staged) ++staged;
  }
  const std::string way =
      staged == 0 ? "straight from and to the memory of the products"
                  : text("through pinned memory of the host on ", staged, " of ", outcome.ranks.size(), " ranks");
  const auto [mode, why] = outcome.exchange();
  return text("halo       ", counted(sent.messages, "message"), ", ", bytes_text(std::uint64_t(sent.bytes)), ", ", way,
              "; exchange: ", mode, " (", why, ")\n");
}

std::string decided_lines(const Outcome& outcome) {
  std::string lines;
  for (const std::string& decided : outcome.decided) lines += "partition  " + decided + '\n';
  return lines;
}

/// The place where each rank computes, unless all are alike; and how rows were distributed, if that was measured.
std::string shares_lines(const Outcome& outcome) {
  std::string lines;
  for (std::size_t k = 0; k < outcome.ranks.size(); ++k) {
    const RankAccount& rank = outcome.ranks[k];
    if (outcome.options.distribution.ranks_on_host == 0 && !rank.nonzeros_per_second) break;
    lines += text("rank ", k, "     ", k < 10 ? " " : "", rank.space, ", ", rank.device, ": ",
                  counted(rank.num_block_rows, "block row"));
    if (rank.nonzeros_per_second) lines += text(", ", short_number(1e-9 * *rank.nonzeros_per_second), "e9 values/s");
    if (const auto share = rank.idle_share()) {
      lines += text(", idle for ", short_number(100 * *share), " % of the solve");
    }
    lines += '\n';
  }
  return lines + decided_lines(outcome);
}

/// How the ranks shared it; of one alone, why the others do not.
std::string ranks_line(const Outcome& outcome) {
  if (outcome.ranks.empty()) return decided_lines(outcome);
  std::int64_t fewest = outcome.system.num_block_rows, most = 0;
  for (const RankAccount& rank : outcome.ranks) {
    fewest = std::min(fewest, rank.num_block_rows);
    most = std::max(most, rank.num_block_rows);
  }
  const RankEfficiency efficiency = outcome.efficiency();
  const std::string waiting = efficiency.pipeline ? text(short_number(100 * (1 - *efficiency.pipeline)),
                                                         " % of their time in the solve went in waiting for each other")
                                                  : "their kernels wait for each other, which is not measured";
  return text("ranks      ", outcome.ranks.size(), ", with ", counted(fewest), " to ", counted(most, "block row"), "; ",
              waiting, '\n', shares_lines(outcome), halo_line(outcome), ranks_streamed_line(outcome),
              efficiency_line(efficiency));
}

/// Three digits, or all if three would move it across the requested tolerance: 0.9999985 is not 1.
std::string residual_text(double residual, double asked) {
  const std::string three = short_number(residual);
  const std::optional<double> shown = parse_number(three);
  return !shown || (*shown <= asked) == (residual <= asked) ? three : exact_number(residual);
}

/// "1.2e-09 (asked for 1e-08)"; with another norm, the residual in that norm, too.
std::string residuals_text(const Outcome& outcome) {
  const SolveReport& report = outcome.solution.report;
  const MethodOptions& method = outcome.options.method;
  const std::string asked = text(exact_number(method.rtol),
                                 method.atol > 0 ? text(", or an absolute one of ", exact_number(method.atol)) : "");
  if (method.norm == ResidualNorm::unpreconditioned) {
    return text(residual_text(report.relative_residual, method.rtol), " (asked for ", asked, ")");
  }
  double judged = report.residual_history.empty() ? 0 : report.residual_history.back();
  for (const ColumnReport& column : outcome.solution.columns) {
    if (!column.residual_history.empty()) judged = larger(judged, column.residual_history.back());
  }
  return text(short_number(report.relative_residual), ", ", residual_text(judged, method.rtol), " in the ",
              to_string(method.norm), " norm (asked for ", asked, ")");
}

}  // namespace

void print_history(std::ostream& out, const SolveReport& report) {
  out << "# iteration  relative residual\n";
  for (std::size_t k = 0; k < report.residual_history.size(); ++k) {
    out << text(std::setw(11), k, "  ", std::scientific, std::setprecision(6), report.residual_history[k], '\n');
  }
}

void print_summary(std::ostream& out, const Outcome& outcome) {
  const SolveReport& report = outcome.solution.report;
  const SystemAccount& system = outcome.system;
  const int b = system.block_size;
  out << "system     " << printable(system.description) << ": "
      << counted(system.num_rows() - system.padding, "unknown")
      << (system.padding > 0 ? text(" and ", counted(system.padding, "row"), " that --pad added, ") : ", ")
      << counted(system.num_blocks, "block") << " of " << b << " x " << b << " (fill "
      << short_number(outcome.system.block_fill) << ")\n"
      << "device     " << device_text(outcome.device)
      << (outcome.threads < outcome.device.concurrency ? text(", of which ", outcome.threads, " solved (--threads)")
                                                       : "")
      << (outcome.read_bandwidth_gb_s ? text("; reads ", short_number(*outcome.read_bandwidth_gb_s), " GB/s")
                                      : "; at which rate it reads was not measured (--no-probe)")
      << '\n'
      << ranks_line(outcome) << "method     " << method_of(outcome) << ", preconditioner "
      << to_string(outcome.solution.preconditioner) << ", kernel " << outcome.solution.kernel << '\n';
  if (const std::string& levels = outcome.solution.hierarchy; !levels.empty()) {
    for (std::size_t begin = 0; begin < levels.size(); begin = levels.find('\n', begin) + 1) {
      const std::string line = levels.substr(begin, levels.find('\n', begin) - begin);
      out << (begin == 0 ? "amg        " : "           ") << line << '\n';
    }
  }
  if (const std::string& why = outcome.solution.why_preconditioner; !why.empty()) {
    out << "precond.   chosen since " << printable(why) << '\n';
  }
  if (!outcome.solution.why_solver.empty()) out << "solver     chosen since " << outcome.solution.why_solver << '\n';
  if (const auto share = outcome.solution.rhs_in_null_space) {
    const MethodOptions& method = outcome.options.method;
    out << "null space " << printable(method.null_space_file.value_or(to_string(method.null_space)))
        << ": removed from x, and from b " << short_number(*share) << " of its norm"
        << (*share > 1e-8 ? ": no x gives that part" : "") << '\n';
  }
  if (outcome.options.method.precision == PrecisionKind::mixed) {
    out << "precision  iterations with the matrix in single, "
        << count_text(std::int64_t(report.true_residuals.size()), "residual") << " in double\n";
  }
  if (!report.launch.empty()) out << "launched   " << report.launch << '\n';
  if (system.is_streamed && outcome.ranks.empty()) {
    const char* const place = system.is_in_file ? "in its file: " : "in the host's memory: ";
    out << "matrix     " << place << printable(outcome.solution.plan) << '\n';
  }
  const bool has_converged = report.status == SolveStatus::converged;
  out << "result     " << (has_converged ? "converged after " : "NOT converged after ")
      << count_text(report.iterations, "iteration") << ": relative residual " << residuals_text(outcome);
  if (!has_converged) out << ": " << describe(report.status);
  out << '\n';
  if (const auto& columns = outcome.solution.columns; columns.size() > 1) {
    const auto converged = std::count_if(columns.begin(), columns.end(), [](const ColumnReport& column) {
      return column.status == SolveStatus::converged;
    });
    out << "columns    " << columns.size() << " right-hand sides, of which " << converged << " converged\n";
  }
  if (!report.warning.empty()) out << "warning    " << report.warning << '\n';
  if (outcome.error) {
    out << "error      " << short_number(outcome.error->max_norm) << " at most, "
        << short_number(outcome.error->relative_2_norm) << " in the relative 2-norm (the solution is all ones)\n";
  }
  out << "seconds    ";
  for (const auto& [phase, seconds] : outcome.phases.seconds()) out << phase << ' ' << short_number(seconds) << ", ";
  out << "total " << short_number(outcome.phases.total()) << '\n'
      << "bandwidth  " << short_number(outcome.bandwidth_gb_s()) << " GB/s of unique data in the solve";
  if (const auto fraction = outcome.bandwidth_fraction()) {
    out << ", " << short_number(*fraction) << " of what the device reads at";
  }
  out << '\n';
}

}  // namespace ashlar::app
