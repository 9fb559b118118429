#include <Kokkos_Timer.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <cg/beside.hpp>
#include <cg/check.hpp>
#include <cg/peers/peer.hpp>
#include <string>
#include <support/median.hpp>
#include <utility>
#include <vector>

namespace ashlar::perf {

namespace {

CgTimes times_of(const CgPeer& peer, int samples) {
  const int num_iterations = 120 / peer.period * peer.period;
  CgTimes times;
  times.launch = peer.launch;
  std::vector<double> seconds, seconds_of_solve;
  peer.seconds_of(num_iterations);
  for (int sample = 0; sample < samples; ++sample) seconds.push_back(peer.seconds_of(num_iterations) / num_iterations);
  times.us = 1e6 * median(std::move(seconds));
  for (int sample = 0; sample < solve_samples; ++sample) {
    Kokkos::Timer timer;
    times.iterations = peer.solve(rtol, most_iterations);
    seconds_of_solve.push_back(timer.seconds() / times.iterations);
  }
  times.solve_us = 1e6 * median(std::move(seconds_of_solve));
  return times;
}

}  // namespace

void measure_peers(const Exec& exec, const CgPerfOptions& options, const CgSystem& system, CgResults& results) {
  if (!is_among(options.libraries, "cusparse")) return;
  const Vector<double> x("perf::x", system.matrix.num_rows());
  const std::vector<CgPeer> peers = cusparse_cg_peers(exec, system, x);
  if (!peers.empty()) results.begin(system, "none");
  for (const CgPeer& peer : peers) {
    try {
      peer.solve(rtol, most_iterations);
      const std::string fault = fault_of_residual(exec, system, x);
      if (fault.empty()) {
        results.add(peer.form, times_of(peer, options.samples));
      } else {
        results.add_wrong(peer.form, fault);
      }
    } catch (const Error& error) {
      results.leave_out(peer.form, error.what());
    }
  }
}

}  // namespace ashlar::perf
