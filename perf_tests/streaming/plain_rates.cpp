#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <cstdint>
#include <streaming/plain_rates.hpp>
#include <support/median.hpp>
#include <vector>

namespace ashlar::perf {

namespace {

using HostExec = Kokkos::DefaultHostExecutionSpace;

/// Adds up numbers by the threads of the host, each a range of its own from end to end, which it asks for ahead as
/// products do.
double sum_of(const HostExec& exec, const double* data, std::int64_t count) {
  constexpr int line = 8, side_by_side = 2 * line, ahead = 512;
  const int num_threads = exec.concurrency();
  const std::int64_t share = count / num_threads / side_by_side * side_by_side;
  double all = 0;
  Kokkos::parallel_reduce(
      "perf::plain[read]", Kokkos::RangePolicy<HostExec>(exec, 0, num_threads),
      [=](int thread, double& sum) {
        double partial[side_by_side] = {};
        const double* const end = data + (thread + 1) * share;
        for (const double* at = data + thread * share; at < end; at += side_by_side) {
          __builtin_prefetch(at + ahead, 0, 2);
          __builtin_prefetch(at + ahead + line, 0, 2);
          for (int k = 0; k < side_by_side; ++k) partial[k] += at[k];
        }
        for (int k = 0; k < side_by_side; ++k) sum += partial[k];
      },
      all);
  return all;
}

}  // namespace

PlainRates measure_plain_rates(const Exec& copy_exec, const HostMatrix& matrix) {
  constexpr int samples = 9;
  const auto all = std::int64_t(matrix.values().extent(0)), half = all / 2;
  const std::int64_t piece = std::min<std::int64_t>(half, std::int64_t(1) << 24), pieces = half / piece;
  const double gigabytes = 8e-9 * double(half), gigabytes_of_piece = 8e-9 * double(piece);
  const Vector<double> target(Kokkos::view_alloc(Kokkos::WithoutInitializing, "perf::target"), std::size_t(piece));
  const auto copy = [&](std::int64_t count) {
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t begin = half + k % pieces * piece;
      Kokkos::deep_copy(copy_exec, target, Kokkos::subview(matrix.values(), std::make_pair(begin, begin + piece)));
    }
  };
  const HostExec host_exec;
  volatile double sum = 0;  // read for the sake of it
  const auto read = [&] { sum = sum_of(host_exec, matrix.values().data(), half); };
  PlainRates rates;
  rates.host = gigabytes / median_seconds(samples, read);
  rates.link = gigabytes_of_piece * double(pieces) / median_seconds(samples, [&] {
                 copy(pieces);
                 copy_exec.fence("perf: plain copies");
               });
  // Copies that go on for longer than the host reads; in what is left of their time they are alone.
  const auto longer = static_cast<std::int64_t>(2 * gigabytes / rates.host * rates.link / gigabytes_of_piece) + 2;
  std::vector<double> host, link;
  for (int sample = 0; sample < samples; ++sample) {
    Kokkos::Timer timer;
    copy(longer);
    read();
    const double seconds = timer.seconds();
    copy_exec.fence("perf: plain copies");
    const double alone = (timer.seconds() - seconds) * rates.link;
    host.push_back(gigabytes / seconds);
    link.push_back((gigabytes_of_piece * double(longer) - alone) / seconds);
  }
  rates.host_beside = median(host);
  rates.link_beside = median(link);
  return rates;
}

}  // namespace ashlar::perf
