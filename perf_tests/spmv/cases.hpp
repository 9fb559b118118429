#pragma once

#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/spmv/tune.hpp>
#include <exception>
#include <nlohmann/json.hpp>
#include <spmv/matrices.hpp>
#include <spmv/measure.hpp>
#include <spmv/measure_peers.hpp>
#include <spmv/options.hpp>
#include <spmv/peers/peer.hpp>
#include <string>
#include <vector>

namespace ashlar::perf {

inline bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

/// The plan that a name on the command line means; "tuned" is the choice of tune().
template <class Scalar, class M>
SpmvPlan<M> plan_of(const Exec& exec, const M& a, const std::string& name, Mode mode, int width, TuningTable& table) {
  constexpr bool double_vectors = std::is_same_v<Scalar, double>;
  if (name != "tuned") {
    const Kernel kernel = kernel_from_string(name).value();
    return {exec, a, {.kernel = kernel, .mode = mode, .width = width, .double_vectors = double_vectors}};
  }
  Tuned<M> tuned = tune(exec, a, {.mode = mode, .double_vectors = double_vectors});
  table.set(tuned.key, tuned.choice);
  return tuned.plan;
}

/// Our products with one matrix: each kernel, mode and width asked for.
template <class Scalar, class M>
void measure_ours(const Exec& exec, const Options& options, const std::string& name, const std::string& type,
                  const M& a, Measurement& measurement) {
  for (const std::string& mode_name : options.modes) {
    const Mode mode = mode_from_string(mode_name).value();
    const bool transpose = is_transposed(mode);
    const auto x = test_vector<Scalar>(exec, transpose ? a.num_rows() : a.num_cols());
    const Vector<Scalar> y("perf::y", transpose ? a.num_cols() : a.num_rows());
    const auto expected = plain_product(exec, a, x, mode);
    const double bytes = double(spmv_traffic_bytes(a, true, mode, sizeof(Scalar)));
    for (const std::string& kernel : options.kernels) {
      for (const int width : options.widths) {
        try {
          const SpmvPlan<M> plan = plan_of<Scalar>(exec, a, kernel, mode, width, measurement.tuning());
          const nlohmann::json row{{"case", name},
                                   {"library", "ashlar"},
                                   {"kernel", kernel},
                                   {"block_size", a.block_size()},
                                   {"type", type},
                                   {"layout", M::layout_type::name},
                                   {"mode", mode_name},
                                   {"plan", plan.explain()},
                                   {"width", plan.launch().grouping.width},
                                   {"num_block_rows", a.num_block_rows()},
                                   {"num_blocks", a.num_blocks()}};
          measurement.add(
              row, bytes, [=] { spmv(exec, plan, Scalar(1), a, x, Scalar(0), y); },
              [&] { return error_of(exec, y, expected); });
        } catch (const BlockSizeError&) {
          // This kernel is not for this block size or width.
        }
      }
    }
  }
}

/// The other libraries asked for.
inline std::vector<PeerLibrary> libraries_of(const Options& options) {
  std::vector<PeerLibrary> libraries{{"cusparse", cusparse_peers},
                                     {"rocsparse", rocsparse_peers},
                                     {"kokkos_kernels", kokkos_kernels_peers},
                                     {"mkl", mkl_peers},
                                     {"eigen", eigen_peers}};
  std::erase_if(libraries, [&](const PeerLibrary& library) { return !contains(options.libraries, library.name); });
  return libraries;
}

/// All that is asked for with one matrix of doubles: `make` makes it in the layout that it is called with.
template <class Make>
void measure_case(const Exec& exec, const Options& options, const std::string& name, const Make& make,
                  Measurement& measurement) {
  const auto ours = [&]<class Value, class Layout, class Scalar>(const std::string& type) {
    if (!contains(options.types, type) || !contains(options.layouts, Layout::name)) return;
    using M = BcsrMatrix<Value, Layout>;
    if constexpr (std::is_same_v<Value, bfloat16>) {
      const auto doubles = make.template operator()<BcsrMatrix<double, Layout>>();
      measure_ours<Scalar>(exec, options, name, type, convert_values<Value>(exec, doubles), measurement);
    } else {
      measure_ours<Scalar>(exec, options, name, type, make.template operator()<M>(), measurement);
    }
  };
  if (contains(options.libraries, "ashlar")) {
    ours.template operator()<double, BlockColumnMajor, double>("double");
    ours.template operator()<double, BlockRowMajor, double>("double");
    ours.template operator()<float, BlockColumnMajor, float>("float");
    ours.template operator()<float, BlockColumnMajor, double>("mixed");
    ours.template operator()<bfloat16, BlockColumnMajor, double>("bfloat16");
  }
  if (options.libraries != std::vector<std::string>{"ashlar"}) {
    measure_peers(exec, name, make.template operator()<Matrix>(), libraries_of(options), measurement);
  }
  measurement.time_all();
}

}  // namespace ashlar::perf
