#include <ashlar/problems/grid27.hpp>
#include <cmath>
#include <exception>
#include <spmv/cases.hpp>
#include <spmv/suites.hpp>

namespace ashlar::perf {

namespace {

/// Column v is the test vector that begins v entries later.
template <class View>
void fill_columns(const Exec& exec, const View& x) {
  const std::int64_t rows = x.extent(0), columns = x.extent(1);
  const auto entries = test_vector<double>(exec, rows + columns);
  Kokkos::parallel_for(
      "perf::fill_columns", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, rows * columns),
      KOKKOS_LAMBDA(std::int64_t i) { x(i / columns, i % columns) = entries(i / columns + i % columns); });
}

/// The worst error of the first, the middle and the last column.
template <class View>
double worst_error(const Exec& exec, const View& y, const std::vector<Expected<double>>& expected) {
  const int columns[] = {0, static_cast<int>(y.extent(1)) / 2, static_cast<int>(y.extent(1)) - 1};
  double worst = 0;
  for (int i = 0; i < 3; ++i) {
    worst = std::max(worst, error_of(exec, Kokkos::subview(y, Kokkos::ALL, columns[i]), expected[i]));
  }
  return worst;
}

void measure_multivector(const Exec& exec, const Options& options, const Matrix& a, int k, Measurement& measurement) {
  using ByColumns = decltype(MultiVectorPair::x_by_columns);
  using ByRows = decltype(MultiVectorPair::x_by_rows);
  const auto num_rows = std::size_t(a.num_rows()), num_cols = std::size_t(a.num_cols()), n = std::size_t(k);
  const MultiVectorPair vectors{ByColumns("perf::x", num_cols, n), ByColumns("perf::y", num_rows, n),
                                ByRows("perf::x", num_cols, n), ByRows("perf::y", num_rows, n)};
  fill_columns(exec, vectors.x_by_columns);
  fill_columns(exec, vectors.x_by_rows);
  std::vector<Expected<double>> expected;
  for (const int column : {0, k / 2, k - 1}) {
    expected.push_back(
        plain_product(exec, a, Kokkos::subview(vectors.x_by_columns, Kokkos::ALL, column), Mode::no_transpose));
  }
  const double bytes = double(spmv_traffic_bytes(a, true, Mode::no_transpose, sizeof(double), k));
  const auto row = [&](const std::string& library, const std::string& kernel, bool by_rows) {
    return nlohmann::json{{"case", "multivector"},
                          {"library", library},
                          {"kernel", kernel},
                          {"block_size", a.block_size()},
                          {"type", "double"},
                          {"mode", "no_transpose"},
                          {"num_vectors", k},
                          {"vectors", by_rows ? "by rows" : "by columns"},
                          {"num_block_rows", a.num_block_rows()},
                          {"num_blocks", a.num_blocks()}};
  };
  const auto error = [&](bool by_rows) {
    return by_rows ? worst_error(exec, vectors.y_by_rows, expected) : worst_error(exec, vectors.y_by_columns, expected);
  };
  if (contains(options.libraries, "ashlar")) {
    for (const std::string& kernel : options.kernels) {
      for (const int width : options.widths) {
        try {
          const SpmvOptions choice{.kernel = kernel_from_string(kernel).value(), .width = width, .num_vectors = k};
          const SpmvPlan<Matrix> plan(exec, a, choice);
          const auto run = [&](const auto& x, const auto& y, bool by_rows) {
            auto ours = row("ashlar", kernel, by_rows);
            ours["plan"] = plan.explain();
            ours["width"] = plan.multi_launch(by_rows).grouping.width;
            measurement.add(
                ours, bytes, [=] { spmv(exec, plan, 1.0, a, x, 0.0, y); }, [&] { return error(by_rows); });
          };
          run(vectors.x_by_rows, vectors.y_by_rows, true);
          if (k > 1) run(vectors.x_by_columns, vectors.y_by_columns, false);
        } catch (const BlockSizeError&) {
          // This kernel is not for this block size or width.
        }
      }
    }
  }
  if (contains(options.libraries, "cusparse")) {
    std::vector<MultiPeer> peers;
    try {
      peers = cusparse_multi_peers(exec, a, vectors);
    } catch (const std::exception& error) {
      measurement.leave_out(row("cuSPARSE", "of any kernel", true), error.what());
    }
    for (const MultiPeer& each : peers) {
      measurement.add(row(each.peer.library, each.peer.kernel, each.by_rows), bytes, each.peer.apply,
                      [&] { return error(each.by_rows); });
    }
  }
  measurement.time_all();
}

}  // namespace

void run_multivector(const Exec& exec, const Options& options, Measurement& measurement) {
  std::vector<int> block_sizes{1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32};
  if (!options.block_sizes.empty()) block_sizes = options.block_sizes;
  for (const int b : block_sizes) {
    const int side = side_for(options.bytes, b);
    const auto a = problems::grid27<Matrix>(exec, side, side, side, b);
    for (const int k : options.num_vectors) measure_multivector(exec, options, a, k, measurement);
  }
}

}  // namespace ashlar::perf
