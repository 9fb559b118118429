#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/bcsr/csr.hpp>
#include <ashlar/bcsr/from_csr.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <cmath>
#include <filesystem>
#include <spmv/cases.hpp>
#include <spmv/suites.hpp>
#include <vector>

namespace ashlar::perf {

namespace {

std::vector<int> sizes(const Options& options, std::vector<int> usual) {
  return options.block_sizes.empty() ? usual : options.block_sizes;
}

}  // namespace

void run_grid(const Exec& exec, const Options& options, Measurement& measurement) {
  std::vector<int> all;
  for (int b = 1; b <= 32; ++b) all.push_back(b);
  for (const int b : sizes(options, all)) {
    const int side = side_for(options.bytes, b);
    measure_case(
        exec, options, "grid27", [&]<class M> { return problems::grid27<M>(exec, side, side, side, b); }, measurement);
  }
}

void run_small(const Exec& exec, const Options& options, Measurement& measurement) {
  for (const int b : sizes(options, {1, 3, 4, 7, 8, 16})) {
    for (const int side : {5, 10, 22, 32}) {
      const double bytes = 27.0 * side * side * side * (8.0 * b * b + 4);
      if (side > 5 && bytes > 40e6) continue;
      measure_case(
          exec, options, text("small, ", side * side * (side == 5 ? 4 : side), " block rows"),
          [&]<class M> { return problems::grid27<M>(exec, side, side, side == 5 ? 4 : side, b); }, measurement);
    }
  }
}

void run_irregular(const Exec& exec, const Options& options, Measurement& measurement) {
  for (const int b : sizes(options, {1, 3, 4, 8})) {
    // A row has ln(10000) = 9.2 blocks on average.
    const auto rows = static_cast<std::int32_t>(std::max(20'000.0, options.bytes / 2 / (9.2 * (8.0 * b * b + 4))));
    const PowerLaw law{rows};
    measure_case(
        exec, options, "power law", [&]<class M> { return build_by_rows<M>(exec, b, rows, rows, law, law); },
        measurement);
  }
}

void run_paper(const Exec& exec, const Options& options, Measurement& measurement) {
  struct Entry {
    const char* name;
    int block_size;
    std::int32_t num_block_rows;
    double num_blocks;
  };
  for (const Entry& entry : {Entry{"GT01R", 5, 1'596, 20.37e3},
                             {"raefsky4", 3, 6'590, 111.4e3},
                             {"bmw7st_1", 6, 23'558, 229.1e3},
                             {"pwtk", 6, 36'320, 289.3e3},
                             {"RM07R", 7, 54'527, 1.504e6},
                             {"audikw_1", 3, 314'565, 4.471e6}}) {
    const std::string file = options.matrices.empty() ? "" : options.matrices + "/" + entry.name + ".mtx";
    if (!file.empty() && std::filesystem::exists(file)) {
      measure_case(
          exec, options, entry.name,
          [&]<class M> {
            const auto csr = csr_from_coo(io::read_matrix_market<typename M::scalar_type>(file));
            return bcsr_from_csr<M>(exec, csr, entry.block_size);
          },
          measurement);
      continue;
    }
    const Banded twin{entry.num_block_rows, entry.num_blocks / entry.num_block_rows, entry.num_block_rows / 40};
    measure_case(
        exec, options, text(entry.name, " (twin)"),
        [&]<class M> {
          return build_by_rows<M>(exec, entry.block_size, entry.num_block_rows, entry.num_block_rows, twin, twin);
        },
        measurement);
  }
}

}  // namespace ashlar::perf
