// perf_amg: time to solution of elastic cantilevers, CG with block-Jacobi beside CG with algebraic multigrid.
//
// A solve is checked before its time counts: it must reach the true residual asked for. Times are medians of several
// set-ups and solves; the update of values is a set-up with new values in the same structure. On a host, CG with the
// preconditioners of other libraries is measured besides, on one thread each: those that were found.
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <amg/problem.hpp>
#include <ashlar/amg/preconditioner.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/device/probes/bandwidth.hpp>
#include <ashlar/host/output_file.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <support/context.hpp>
#include <support/median.hpp>
#include <utility>
#include <vector>

namespace ashlar::perf {
namespace {

struct Options {
  std::vector<std::string> cases = is_gpu_v<Exec>
                                       ? std::vector<std::string>{"33", "65", "97", "129", "321x33x33", "33:0.45"}
                                       : std::vector<std::string>{"20", "33", "81x21x21", "33:0.45"};
  std::vector<std::string> preconditioners{"block_jacobi", "amg", "amg_single"};
  std::vector<std::string> libraries{"ashlar", "petsc", "hypre", "amgcl"};
  int samples = 3;
  double rtol = 1e-8;
  bool explain = false;
  std::string json, commit = "unknown";

  bool has_library(const std::string& name) const {
    return std::find(libraries.begin(), libraries.end(), name) != libraries.end();
  }
};

/// One preconditioner of a problem, timed.
class Measurement {
 public:
  Measurement(const Exec& exec, const AmgProblem& problem, const Options& options, double read_gb_s,
              nlohmann::json& rows)
      : exec_(exec), problem_(problem), options_(options), read_gb_s_(read_gb_s), rows_(rows) {}

  bool run(const std::string& name) {
    if (name == "block_jacobi") return run_block_jacobi();
    return name == "amg" ? run_amg<double>(name) : run_amg<float>(name);
  }

  bool run(const AmgPeer& peer, const HostSystem& system) {
    std::vector<double> set_up, solves;
    PeerSolve last;
    for (int k = 0; k < options_.samples; ++k) {
      last = peer.solve(system, options_.rtol);
      set_up.push_back(last.seconds_set_up);
      solves.push_back(last.seconds_solve);
    }
    nlohmann::json row{{"seconds_set_up", median(set_up)}};
    if (last.operator_complexity) row["operator_complexity"] = *last.operator_complexity;
    return add(peer.library, peer.preconditioner, median(solves), last.iterations, true_residual(system, last.x), row);
  }

 private:
  bool run_block_jacobi() {
    std::vector<double> set_up;
    for (int k = 0; k < options_.samples; ++k) {
      set_up.push_back(seconds([&] { BlockJacobiPreconditioner<Matrix>(exec_, problem_.a); }));
    }
    nlohmann::json row{{"seconds_set_up", median(set_up)}};
    return solve("block_jacobi", BlockJacobiPreconditioner<Matrix>(exec_, problem_.a), row);
  }

  template <class Real>
  bool run_amg(const std::string& name) {
    using Amg = amg::Preconditioner<Matrix, Real>;
    std::vector<double> set_up, update;
    for (int k = 0; k < options_.samples; ++k) {
      set_up.push_back(seconds([&] { Amg(exec_, problem_.a, problem_.make_modes(exec_)); }));
    }
    const Amg m(exec_, problem_.a, problem_.make_modes(exec_));
    const amg::SetupTimes times = m.hierarchy().setup_times();
    for (int k = 0; k < options_.samples; ++k) update.push_back(seconds([&] { m.update_values(exec_, problem_.a); }));
    if (options_.explain) std::printf("%s", m.explain().c_str());
    nlohmann::json row{{"seconds_set_up", median(set_up)},
                       {"seconds_update", median(update)},
                       {"levels", m.hierarchy().levels().size()},
                       {"operator_complexity", m.hierarchy().operator_complexity()},
                       {"seconds_of_phases",
                        {{"smoothers", times.smoothers},
                         {"aggregation", times.aggregation},
                         {"tentative", times.tentative},
                         {"prolongators", times.prolongators},
                         {"galerkin", times.galerkin},
                         {"coarsest", times.coarsest}}}};
    return solve(name, m, row);
  }

  template <class M>
  bool solve(const std::string& name, const M& m, nlohmann::json row) {
    const BcsrOperator<Matrix> op(exec_, problem_.a);
    const Kokkos::View<double*> x("perf::x", problem_.a.num_rows());
    CgOptions options;
    options.rtol = options_.rtol;
    SolveReport report;
    std::vector<double> solves;
    for (int k = 0; k <= options_.samples; ++k) {  // the first warms up
      Kokkos::deep_copy(exec_, x, 0.0);
      const double taken = seconds([&] { report = cg(exec_, op, m, problem_.load, x, options); });
      if (k > 0) solves.push_back(taken);
    }
    row["launch"] = report.launch;
    const double residual = report.status == SolveStatus::converged ? report.relative_residual : 1;
    return add("ashlar", name, median(solves), report.iterations, residual, row);
  }

  bool add(const std::string& library, const std::string& name, double solve, int iterations, double residual,
           nlohmann::json row) {
    const bool verified = residual <= 1.05 * options_.rtol;
    const double set_up = row["seconds_set_up"].get<double>();
    const double product = double(spmv_traffic_bytes(problem_.a));
    row.update({{"case", problem_.name},
                {"library", library},
                {"kernel", name},
                {"block_size", problem_.a.block_size()},
                {"num_rows", problem_.a.num_rows()},
                {"num_blocks", problem_.a.num_blocks()},
                {"seconds_solve", solve},
                {"seconds", set_up + solve},
                {"iterations", iterations},
                {"residual", residual},
                {"products_an_iteration", solve / iterations / (product / read_gb_s_ * 1e-9)},
                {"bytes", product},
                {"gb_s", product * iterations / solve * 1e-9},
                {"limit_gb_s", read_gb_s_},
                {"verified", verified}});
    std::printf("  %-6s %-20s set-up %9.4f s, solve %9.4f s, %5d iterations, an iteration takes %6.2f products%s%s\n",
                library.c_str(), name.c_str(), set_up, solve, iterations, row["products_an_iteration"].get<double>(),
                row.contains("seconds_update")
                    ? (", update " + std::to_string(row["seconds_update"].get<double>())).c_str()
                    : "",
                verified ? "" : " WRONG");
    std::fflush(stdout);
    rows_.push_back(std::move(row));
    return verified;
  }

  /// The relative residual of a peer's solution.
  static double true_residual(const HostSystem& system, const std::vector<double>& x) {
    double residual = 0, load = 0;
    for (std::size_t i = 0; i < system.load.size(); ++i) {
      double r = system.load[i];
      for (auto k = std::size_t(system.row_ptr[i]); k < std::size_t(system.row_ptr[i + 1]); ++k) {
        r -= system.values[k] * x[std::size_t(system.col_idx[k])];
      }
      residual += r * r;
      load += system.load[i] * system.load[i];
    }
    return std::sqrt(residual / load);
  }

  template <class Work>
  double seconds(const Work& work) const {
    exec_.fence("perf_amg: before");
    const Kokkos::Timer timer;
    work();
    exec_.fence("perf_amg: after");
    return timer.seconds();
  }

  const Exec& exec_;
  const AmgProblem& problem_;
  const Options& options_;
  double read_gb_s_;
  nlohmann::json& rows_;
};

/// The peers to measure. They compute on the host, and are compared on one thread.
std::vector<AmgPeer> find_peers(const Exec& exec, const Options& options) {
  const std::vector<std::pair<std::string, std::vector<AmgPeer>>> found{
      {"petsc", petsc_peers()}, {"hypre", hypre_peers()}, {"amgcl", amgcl_peers()}};
  std::vector<AmgPeer> result;
  for (const auto& [library, peers] : found) {
    if (!options.has_library(library)) continue;
    if (peers.empty()) {
      std::printf("%s: not found when perf_amg was built\n", library.c_str());
    } else if (exec.concurrency() > 1) {
      std::printf("%s: left out, as it is compared on one thread of a host: set OMP_NUM_THREADS=1\n", library.c_str());
    } else {
      result.insert(result.end(), peers.begin(), peers.end());
    }
  }
  return result;
}

}  // namespace
}  // namespace ashlar::perf

int main(int argc, char** argv) {
  using namespace ashlar;
  perf::Options options;
  CLI::App app("Time to solution of elastic cantilevers by CG with block-Jacobi and with algebraic multigrid");
  app.add_option("--cases", options.cases,
                 "N or NXxNYxNZ nodes, and :NU for another Poisson's ratio than 0.3, and :FACTOR for a stiffer layer")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--preconditioners", options.preconditioners, "amg_single has its hierarchy in float")
      ->delimiter(',')
      ->check(CLI::IsMember({"block_jacobi", "amg", "amg_single"}))
      ->capture_default_str();
  app.add_option("--libraries", options.libraries, "whose preconditioners, as far as they were found; one thread each")
      ->delimiter(',')
      ->check(CLI::IsMember({"ashlar", "petsc", "hypre", "amgcl"}))
      ->capture_default_str();
  app.add_option("--samples", options.samples, "of which each time is the median")->check(CLI::PositiveNumber);
  app.add_option("--rtol", options.rtol, "the true residual to reach")->check(CLI::PositiveNumber);
  app.add_flag("--explain", options.explain, "print the levels");
  app.add_option("--json", options.json, "write the results here");
  app.add_option("--commit", options.commit, "recorded in the context");
  CLI11_PARSE(app, argc, argv);

  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    if (!options.json.empty()) require_writable(options.json);
    const perf::Exec exec;
    const double read = measure_read_bandwidth(exec);
    std::printf("read bandwidth %.1f GB/s\n", read);
    nlohmann::json rows = nlohmann::json::array();
    const std::vector<perf::AmgPeer> peers = perf::find_peers(exec, options);
    bool all_right = true;
    for (const std::string& name : options.cases) {
      const perf::AmgProblem problem(exec, name);
      std::printf("cantilever %s: %lld unknowns, %lld blocks\n", name.c_str(),
                  static_cast<long long>(problem.a.num_rows()), static_cast<long long>(problem.a.num_blocks()));
      perf::Measurement measurement(exec, problem, options, read, rows);
      if (options.has_library("ashlar")) {
        for (const std::string& m : options.preconditioners) all_right = measurement.run(m) && all_right;
      }
      const perf::HostSystem system = peers.empty() ? perf::HostSystem{} : problem.on_host(exec);
      for (const perf::AmgPeer& peer : peers) all_right = measurement.run(peer, system) && all_right;
      if (!options.json.empty()) perf::write_results(options.json, options.commit, read, rows);
    }
    return all_right ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "perf_amg: " << error.what() << '\n';
    return 1;
  }
}
