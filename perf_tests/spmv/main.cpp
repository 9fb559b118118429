// perf_spmv: products with 27-point grids of dense blocks, for each block size and kernel.
//
// Every product is checked, entry by entry against the host's reference on a smaller grid of the same block size,
// before it is timed: a wrong one has no time, and the exit code is 1. The rate counts unique bytes: values, block
// columns, row pointers, x and y once.
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/blas1/bandwidth.hpp>
#include <ashlar/io/output_file.hpp>
#include <ashlar/io/text_file.hpp>
#include <ashlar/problems/grid27.hpp>
#include <ashlar/reference/spmv.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <cmath>
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <support/context.hpp>
#include <support/timing.hpp>
#include <vector>

namespace {

using namespace ashlar;
using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Matrix = BcsrMatrix<double>;
using Vector = Kokkos::View<double*, Space>;

struct Options {
  std::vector<int> block_sizes{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32};
  std::vector<std::string> kernels{"auto", "by_block", "by_column", "row_per_thread", "block_row_per_thread"};
  std::vector<int> widths{0};
  double bytes = is_gpu_v<Exec> ? 2.5e9 : 0.4e9;
  std::string json, commit = "unknown";
};

/// A vector whose entries are all different and of size about 1.
Vector test_vector(const Exec& exec, std::int64_t n) {
  Vector x("x", n);
  Kokkos::parallel_for(
      "perf::test_vector", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
      KOKKOS_LAMBDA(std::int64_t i) { x(i) = 0.5 + static_cast<double>((i * 7919) % 10007) / 10007; });
  return x;
}

/// Grid points a side such that the values fill about `bytes`.
int side_for(double bytes, int b) {
  const double blocks = bytes / (8.0 * b * b + 4);
  return std::max(3, static_cast<int>(std::lround(std::cbrt(blocks / 27))));
}

/// What is wrong with a product, where something is.
std::optional<std::string> fault_of(const Exec& exec, int b, const SpmvOptions& options) {
  const auto a = problems::grid27<Matrix>(exec, 6, 5, 7, b);
  const auto host = copy_to<Kokkos::HostSpace>(exec, a);
  const Vector x = test_vector(exec, a.num_cols()), y("y", a.num_rows());
  spmv(exec, SpmvPlan<Matrix>(exec, a, options), 1, a, x, 0, y);
  const auto x_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  const auto y_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  std::vector<double> expected(a.num_rows());
  reference::spmv(1, host, std::vector<double>(x_host.data(), x_host.data() + a.num_cols()), 0, expected);
  for (std::int64_t i = 0; i < a.num_rows(); ++i) {
    // 27*b terms of size up to 27*b each.
    if (std::abs(y_host(i) - expected[i]) <= 1e-15 * 27 * b * 27 * b) continue;
    return text(std::setprecision(17), "y(", i, ") is ", y_host(i), " where the reference has ", expected[i]);
  }
  return std::nullopt;
}

/// One matrix, and what is told of each product with it.
struct Case {
  const Exec& exec;
  int block_size;
  Matrix a;
  Vector x, y;
  double limit;

  /// Adds a row to `results`. Returns whether the product was right.
  bool measure(const std::string& kernel, int width, nlohmann::json& results) const {
    const SpmvOptions choice{.kernel = kernel_from_string(kernel).value(), .width = width};
    const SpmvPlan<Matrix> plan(exec, a, choice);
    std::printf("b %2d  %-20s width %2d  ", block_size, kernel.c_str(), plan.launch().width);
    nlohmann::json row{{"case", "grid27"},
                       {"library", "ashlar"},
                       {"kernel", kernel},
                       {"block_size", block_size},
                       {"chosen", std::string(to_string(plan.kernel()))},
                       {"width", plan.launch().width},
                       {"num_block_rows", a.num_block_rows()},
                       {"num_blocks", a.num_blocks()},
                       {"limit_gb_s", limit}};
    const auto fault = fault_of(exec, block_size, choice);
    row["verified"] = !fault;
    if (fault) {
      std::printf("WRONG RESULT: %s\n", fault->c_str());
      row["fault"] = *fault;
    } else {
      const double seconds = perf::median_seconds(exec, [&] { spmv(exec, plan, 1, a, x, 0, y); });
      const double bytes = static_cast<double>(spmv_traffic_bytes(a)), rate = bytes / seconds * 1e-9;
      std::printf("%9.1f us  %7.1f GB/s  %.3f of the read bandwidth\n", seconds * 1e6, rate, rate / limit);
      row.update({{"seconds", seconds}, {"bytes", bytes}, {"gb_s", rate}, {"fraction", rate / limit}});
    }
    results.push_back(std::move(row));
    return !fault;
  }
};

/// Returns whether every product was right.
bool measure(const Exec& exec, const Options& options, double limit, nlohmann::json& results) {
  bool right = true;
  for (const int b : options.block_sizes) {
    const int side = side_for(options.bytes, b);
    const auto a = problems::grid27<Matrix>(exec, side, side, side, b);
    const Case one{exec, b, a, test_vector(exec, a.num_cols()), Vector("y", a.num_rows()), limit};
    for (const std::string& kernel : options.kernels) {
      for (const int width : options.widths) {
        try {
          right = one.measure(kernel, width, results) && right;
        } catch (const BlockSizeError&) {
          // This kernel is not for this block size or width.
        }
      }
    }
  }
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Products of a BCSR matrix and a vector: 27-point grids of dense blocks, double precision");
  app.add_option("--block-sizes", options.block_sizes, "block sizes")->delimiter(',')->capture_default_str();
  app.add_option("--kernels", options.kernels, "kernels, by name")->delimiter(',')->capture_default_str();
  app.add_option("--widths", options.widths, "lanes a block row; 0: the plan's choice")->delimiter(',');
  app.add_option("--bytes", options.bytes, "size of each matrix")->capture_default_str();
  app.add_option("--json", options.json, "write the results here");
  app.add_option("--commit", options.commit, "recorded in the context");
  CLI11_PARSE(app, argc, argv);

  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    if (!options.json.empty()) io::require_writable(options.json);
    const Exec exec;
    const double limit = measure_read_bandwidth(exec);
    std::printf("read bandwidth %.1f GB/s\n", limit);
    nlohmann::json results = nlohmann::json::array();
    const bool right = measure(exec, options, limit, results);
    if (!options.json.empty()) {
      nlohmann::json file{{"context", perf::context(options.commit)}, {"results", results}};
      file["context"]["read_gb_s"] = limit;
      io::write_text_file(options.json, file.dump(1) + "\n");
    }
    return right ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "perf_spmv: " << error.what() << '\n';
    return 1;
  }
}
