// perf_tpetra: a product with a Tpetra::BlockCrsMatrix by Tpetra, and by Ashlar on the same memory, in turns, by block
// size. Built with the installed package, for hosts (the target perf_tpetra).
//
// Each product is checked against Tpetra's before it is timed: a wrong one has no time, and the exit code is 1. The
// limit is the read bandwidth, measured in turns with the products; the bytes are those of the matrix once, and of x
// and y once for each vector.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/device/probes/bandwidth.hpp>
#include <ashlar/host/output_file.hpp>
#include <ashlar/interop/tpetra.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <support/context.hpp>
#include <support/read_probe.hpp>
#include <tpetra/grid_matrix.hpp>
#include <tpetra/turns.hpp>
#include <utility>
#include <vector>

namespace {

using namespace ashlar;
using Vectors = Tpetra::MultiVector<>;

struct Options {
  std::vector<int> block_sizes{1, 2, 3, 4, 5, 6, 7, 8}, num_vectors{1, 4};
  std::vector<int> prefetch;  ///< distances in bytes that ours is measured with, besides the plan's own
  bool cached = false;
  double bytes = 60e6;
  int samples = 15;
  std::string json, commit = "unknown";
};

struct Product {
  std::string library, kernel, plan;
  Teuchos::RCP<const Tpetra::Operator<>> op;
};

/// Tpetra's own first.
std::vector<Product> products_of(const Teuchos::RCP<perf::TpetraMatrix>& matrix, const std::vector<int>& prefetch) {
  std::vector<Product> products{{"Tpetra", "BlockCrsMatrix", "", matrix}};
  const auto add = [&](const std::string& kernel, const ColumnMapOptions& options) {
    auto op = from_tpetra(*matrix, options);
    const std::string plan = op.explain();
    products.push_back({"ashlar", kernel, plan, tpetra_operator(std::move(op), matrix->getDomainMap())});
  };
  add("auto", {});
  for (const int bytes : prefetch) add(text("prefetched ", bytes), {.spmv = {.prefetch_bytes = bytes}});
  return products;
}

/// By how much the product is off that of the other, of the largest entry of each vector.
double difference(const Tpetra::Operator<>& product, const Tpetra::Operator<>& other, const Vectors& x) {
  const std::size_t count = x.getNumVectors();
  Vectors y(product.getRangeMap(), count), expected(product.getRangeMap(), count);
  other.apply(x, expected);
  product.apply(x, y);
  y.update(-1, expected, 1);
  std::vector<double> off(count), largest(count);
  y.normInf(Teuchos::ArrayView<double>(off.data(), int(count)));
  expected.normInf(Teuchos::ArrayView<double>(largest.data(), int(count)));
  double result = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const double relative = off[j] / largest[j];
    if (!(relative <= result)) result = relative;  // NaN, too
  }
  return result;
}

/// Measures one block size; false where a product is wrong. `limit`: the read bandwidth, where it is not measured anew.
bool measure(const Options& options, int b, const perf::ReadProbe& probe, double limit, nlohmann::json& results) {
  const perf::Exec exec;
  const int n = std::max(4, int(std::cbrt(options.bytes / (27 * (8. * b * b + 4)))));
  const auto matrix = perf::grid_matrix(n, b);
  const auto products = products_of(matrix, options.prefetch);
  const double num_blocks = double(matrix->getCrsGraph().getLocalNumEntries()), num_block_rows = double(n) * n * n;
  bool all_right = true;
  for (const int num_vectors : options.num_vectors) {
    Vectors x(matrix->getDomainMap(), std::size_t(num_vectors)), y(matrix->getRangeMap(), std::size_t(num_vectors));
    x.randomize();
    std::vector<std::function<void()>> works;
    std::vector<nlohmann::json> rows;
    for (const auto& [library, kernel, plan, op] : products) {
      const bool is_right = difference(*op, *products[0].op, x) < 1e-12;
      all_right = all_right && is_right;
      rows.push_back({{"case", options.cached ? "grid27, cached" : "grid27"},
                      {"library", library},
                      {"kernel", kernel},
                      {"plan", plan},
                      {"type", "double"},
                      {"block_size", b},
                      {"num_vectors", num_vectors},
                      {"num_block_rows", std::int64_t(num_block_rows)},
                      {"verified", is_right}});
      works.push_back([&x, &y, &op = *op] { op.apply(x, y); });
    }
    const auto before = [&](std::size_t i) { options.cached ? works[i]() : probe(); };
    const std::vector<double> seconds = perf::medians_in_turns(exec, works, options.samples, before);
    if (!options.cached) limit = probe.bytes() / seconds.back() * 1e-9;
    const double bytes =
        num_blocks * (8. * b * b + 4) + 8 * (num_block_rows + 1) + 2 * 8. * b * num_vectors * num_block_rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      auto& row = rows[i];
      row["limit_gb_s"] = limit;
      if (row["verified"]) {
        const double rate = bytes / seconds[i] * 1e-9;
        row.update({{"seconds", seconds[i]}, {"bytes", bytes}, {"gb_s", rate}, {"fraction", rate / limit}});
      }
      std::printf("b %d, %d vectors, %-8s %-16s %10.1f us, Tpetra's over it %.3f%s\n", b, num_vectors,
                  products[i].library.c_str(), products[i].kernel.c_str(), 1e6 * seconds[i], seconds[0] / seconds[i],
                  row["verified"] ? "" : ": WRONG RESULT");
      results.push_back(std::move(row));
    }
    std::fflush(stdout);
  }
  return all_right;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Products with a Tpetra::BlockCrsMatrix by Tpetra and by Ashlar, in turns");
  const auto list = [&](const char* name, auto& values, const char* help) {
    return app.add_option(name, values, help)->delimiter(',')->capture_default_str()->check(CLI::NonNegativeNumber);
  };
  list("--block-sizes", options.block_sizes, "of the matrices")->check(CLI::PositiveNumber);
  list("--num-vectors", options.num_vectors, "columns of x and y")->check(CLI::PositiveNumber);
  list("--prefetch", options.prefetch, "bytes ahead that ours prefetches values, in turns with the plan's choice");
  app.add_flag("--cached", options.cached, "before each product the same one, not what empties the caches");
  app.add_option("--bytes", options.bytes, "size of each matrix")->capture_default_str();
  app.add_option("--samples", options.samples, "of which each time is the median")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--json", options.json, "write the results here");
  app.add_option("--commit", options.commit, "recorded in the context");
  CLI11_PARSE(app, argc, argv);

  const Tpetra::ScopeGuard tpetra(&argc, &argv);
  try {
    if (!options.json.empty()) require_writable(options.json);
    const perf::Exec exec;
    const double limit = measure_read_bandwidth(exec);
    std::printf("read bandwidth %.1f GB/s\n", limit);
    const perf::ReadProbe probe(exec);
    nlohmann::json results = nlohmann::json::array();
    bool all_right = true;
    for (const int b : options.block_sizes) {
      all_right = measure(options, b, probe, limit, results) && all_right;
      // Each time: what was measured is there, whatever ends this.
      if (!options.json.empty()) {
        perf::write_results(options.json, options.commit, limit, results);
      }
    }
    return all_right ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "perf_tpetra: " << error.what() << '\n';
    return 1;
  }
}
