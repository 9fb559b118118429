#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/krylov/block_cg.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <cstdio>
#include <streaming/block_solve.hpp>
#include <support/memory_watch.hpp>
#include <utility>

namespace ashlar::perf {

namespace {

using Block = Kokkos::View<double**, Kokkos::LayoutRight, Space>;

/// Columns that have nothing to do with each other.
void fill(const Exec& exec, const Block& b) {
  const auto columns = static_cast<std::int64_t>(b.extent(1));
  Kokkos::parallel_for(
      "perf::right_hand_sides",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, static_cast<std::int64_t>(b.size())),
      KOKKOS_LAMBDA(std::int64_t i) {
        std::uint64_t bits = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15;
        bits = (bits ^ (bits >> 29)) * 0xbf58476d1ce4e5b9;
        b(i / columns, i % columns) = static_cast<double>(bits >> 11) / double(std::uint64_t(1) << 53) - 0.5;
      });
}

struct Solve {
  double seconds = 0;
  std::uint64_t peak_bytes = 0;
  BlockSolveReport report;
};

/// `make` makes the operator, from the bytes that vectors and solver take beside it.
template <class Make>
Solve solve(const Exec& exec, std::int64_t n, int num_vectors, const Make& make) {
  Solve result;
  const MemoryWatch watch;
  const Block b("perf::b", n, num_vectors), x("perf::x", n, num_vectors);
  fill(exec, b);
  const auto a = make();
  exec.fence("perf: before the solve");
  Kokkos::Timer timer;
  result.report = block_cg(exec, a, IdentityPreconditioner(), b, x, {.rtol = 1e-8});
  result.seconds = timer.seconds();
  result.peak_bytes = watch.peak();
  return result;
}

}  // namespace

bool run_block_solve(const Exec& exec, const StreamingCase& matrix, double fraction, int num_vectors,
                     const StreamingPerfOptions& options, nlohmann::json& results) {
  const HostMatrix& host = matrix.host;
  const std::int64_t n = host.num_rows();
  const double link = plain_copy_gb_s(Kokkos::Experimental::partition_space(exec, 1)[0], host);
  const auto limit = static_cast<std::uint64_t>(fraction * matrix.value_bytes());
  // A product's x and y are counted by StreamedMatrix itself.
  const std::uint64_t solver = block_cg_bytes(n, num_vectors, sizeof(double), false);
  const bool all_count = limit > solver + 2 * std::uint64_t(n) * 8 * std::uint64_t(num_vectors);
  StreamingOptions streaming{.num_buffers = options.buffers};
  streaming.device_memory_limit = all_count ? limit - solver : limit + 2 * std::uint64_t(n) * 8 * num_vectors;
  streaming.product.num_vectors = num_vectors;
  std::string plan;
  double sent = 0;
  const Solve streamed = solve(exec, n, num_vectors, [&] {
    Streamed a(exec, host, streaming);
    plan = a.explain();
    sent = double(a.estimate().sent_bytes);
    return a;
  });
  const Solve resident = solve(exec, n, num_vectors, [&] {
    return BcsrOperator<Matrix>(exec, copy_to<Space>(exec, host), {.num_vectors = num_vectors});
  });
  const double moved = sent * (streamed.report.iterations + 2);  // and the residuals at the start and the end
  const double bound = std::max(resident.seconds, moved / (link * 1e9));
  const bool right =
      streamed.report.status == SolveStatus::converged && resident.report.status == SolveStatus::converged &&
      streamed.report.iterations == resident.report.iterations && (!all_count || streamed.peak_bytes <= limit);
  std::printf(
      "%s: block CG, %d right-hand sides, %d steps\n  resident %.3f s; streamed %.3f s, %.3f of the bound "
      "(%.1f GB to move at %.1f GB/s); %.2f GB of device memory at most, limit %.2f GB%s%s\n  %s\n",
      matrix.name.c_str(), num_vectors, streamed.report.iterations, resident.seconds, streamed.seconds,
      streamed.seconds / bound, moved * 1e-9, link, double(streamed.peak_bytes) * 1e-9, double(limit) * 1e-9,
      all_count ? "" : " for the matrix", right ? "" : " WRONG", plan.c_str());
  std::fflush(stdout);
  for (const auto& [kernel, one] : {std::pair<const char*, const Solve&>{"block CG, streamed", streamed},
                                    std::pair<const char*, const Solve&>{"block CG, resident", resident}}) {
    results.push_back({{"case", matrix.name},
                       {"library", "ashlar"},
                       {"kernel", kernel},
                       {"type", "double"},
                       {"block_size", host.block_size()},
                       {"num_vectors", num_vectors},
                       {"iterations", one.report.iterations},
                       {"seconds", one.seconds},
                       {"bound_seconds", bound},
                       {"bytes", moved},
                       {"gb_s", moved / one.seconds * 1e-9},
                       {"limit_gb_s", link},
                       {"fraction", bound / one.seconds},
                       {"limit_bytes", limit},
                       {"vectors_count", all_count},
                       {"peak_bytes", one.peak_bytes},
                       {"verified", right},
                       {"plan", plan}});
  }
  return right;
}

}  // namespace ashlar::perf
