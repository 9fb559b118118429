#include <Kokkos_Timer.hpp>
#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/spmv/kernel.hpp>
#include <cg_ranks/beside.hpp>
#include <cg_ranks/measure.hpp>
#include <cg_ranks/peers/peer.hpp>
#include <cg_ranks/rates.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <support/plain_product.hpp>
#include <support/seconds_of_iteration.hpp>
#include <utility>
#include <vector>

namespace ashlar::perf {

namespace {

/// ||b - A x|| / ||b||, by plain loops over rows with the columns of the whole, which share no code with what is
/// measured.
double plain_residual(const Exec& exec, const Communicator& comm, const RankSystem<Exec>& system,
                      const Vector<double>& x) {
  std::vector<double> mine(x.extent(0));
  Kokkos::deep_copy(exec, Kokkos::View<double*, Kokkos::HostSpace>(mine.data(), mine.size()), x);
  exec.fence("perf: the x of a rank");
  const std::vector<double> all = comm.all_gather(mine);
  const std::array<double, 2> squares = comm.together([&] {
    const Vector<double> whole("perf::whole_x", all.size());
    Kokkos::deep_copy(exec, whole, Kokkos::View<const double*, Kokkos::HostSpace>(all.data(), all.size()));
    const Vector<double> y = plain_product(exec, system.rows, whole, Mode::no_transpose).y, b = system.b;
    double of_residual = 0, of_b = 0;
    Kokkos::parallel_reduce(
        "perf::plain_residual", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, b.extent(0)),
        KOKKOS_LAMBDA(std::int64_t i, double& rr, double& bb) {
          const double r = b(i) - y(i);
          rr += r * r;
          bb += b(i) * b(i);
        },
        of_residual, of_b);
    return std::array<double, 2>{of_residual, of_b};
  });
  return std::sqrt(comm.sum(squares[0]) / comm.sum(squares[1]));
}

/// What a solve that should converge came to.
struct Checked {
  int iterations;
  double residual;

  /// What is wrong with it; nothing where all is right.
  std::string fault(std::optional<int> our_iterations) const {
    constexpr double plain_rtol = 1.01 * rtol;  // plain loops round otherwise
    // A NaN is no less wrong.
    if (!(residual <= plain_rtol)) return text("after ", iterations, " iterations the residual is ", residual);
    if (our_iterations && std::abs(iterations - *our_iterations) > 1) {
      return text(iterations, " iterations instead of ", *our_iterations);
    }
    return "";
  }
};

/// Microseconds of an iteration, as measure() has them of ours.
double us_of_iteration(const Communicator& comm, RanksPeer& peer, int samples, const std::vector<int>& iterations) {
  SolveSeconds wall;
  for (int sample = -1; sample < samples; ++sample) {
    for (const std::size_t which : {0, 1}) {
      comm.barrier();
      const double seconds = comm.together([&] {
        const Kokkos::Timer timer;
        const int done = peer.solve(0, iterations[which]);
        const double its = timer.seconds();
        if (done == iterations[which]) return its;
        throw ArgumentError(text("--iterations ", iterations[which]), text("the residual is 0 after ", done),
                            "take fewer");
      });
      const double of_all = comm.max(seconds);
      if (sample >= 0) wall[which].push_back(of_all);
    }
  }
  return 1e6 * seconds_of_iteration(wall, iterations[0], iterations[1]);
}

/// How long an iteration takes, or why that is not known.
struct PeerTime {
  std::optional<double> us;
  std::string why_none;
};

PeerTime time_of(const Communicator& comm, RanksPeer& peer, const RanksOptions& options) {
  try {
    return {us_of_iteration(comm, peer, options.samples, options.iterations), ""};
  } catch (const ArgumentError& error) {  // on all ranks together
    return {std::nullopt, error.what()};
  }
}

}  // namespace

nlohmann::json measure_peers(const Exec& exec, const Communicator& comm, const RanksOptions& options,
                             const RankSystem<Exec>& system, double read_gb_s, std::optional<int> our_iterations) {
  nlohmann::json results = nlohmann::json::array();
  std::vector<RanksPeerForm> forms;
  const bool speaks = comm.rank() == 0;
  if (comm.is_alone() || options.memory_limit > 0) return results;
  RanksPeerSystem of_rank;  // filled in where somebody wants it
  if (options.has_library("nccl")) forms = nccl_peers(exec, comm, of_rank);
  if (options.has_library("in_kernel")) {
    for (RanksPeerForm& form : in_kernel_peers(exec, comm, of_rank)) forms.push_back(std::move(form));
  }
  if (forms.empty()) return results;
  of_rank = {make_local_rows(exec, comm, system), system.b, Vector<double>("perf::x", system.b.extent(0))};
  const std::int64_t halo_bytes = comm.sum(of_rank.rows.num_halo) * std::int64_t(sizeof(double));
  for (const RanksPeerForm& form : forms) {
    const std::string name = text(form.library, " ", form.kernel);
    const auto say = [&](const std::string& what) {
      if (!speaks) return;
      std::printf("  %-40s %s\n", name.c_str(), what.c_str());
      std::fflush(stdout);
    };
    try {
      const std::unique_ptr<RanksPeer> peer = form.make();
      Checked checked{};
      checked.iterations = comm.together([&] { return peer->solve(rtol, most_iterations); });
      checked.residual = plain_residual(exec, comm, system, of_rank.x);
      const std::string fault = checked.fault(our_iterations);
      const PeerTime time = fault.empty() ? time_of(comm, *peer, options) : PeerTime{};
      nlohmann::json row{{"library", form.library},
                         {"kernel", form.kernel},
                         {"launch", form.launch},
                         {"iterations", checked.iterations},
                         {"relative_residual", checked.residual},
                         {"halo_bytes", halo_bytes},
                         {"verified", fault.empty()}};
      if (fault.empty()) {
        row.update(rates_json(system, comm.size(), time.us, read_gb_s));
        if (time.us) {
          char text_of_row[100];
          std::snprintf(text_of_row, sizeof text_of_row, "%10.2f us, %7.2f Gflop/s, halo %9.3f MB, %d iterations",
                        *time.us, 1e-3 * flops_of_iteration(system) / *time.us, 1e-6 * double(halo_bytes),
                        checked.iterations);
          say(text_of_row);
        } else {
          row["why_no_time"] = time.why_none;
          say("no time: " + time.why_none);
        }
      } else {
        row.update(
            {{"case", system.name}, {"block_size", system.block_size}, {"ranks", comm.size()}, {"error", fault}});
        say("WRONG: " + fault);
      }
      results.push_back(std::move(row));
    } catch (const Error& error) {  // on all ranks together
      say(text("left out: ", error.what()));
    }
  }
  return results;
}

}  // namespace ashlar::perf
