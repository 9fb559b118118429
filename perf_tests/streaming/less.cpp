#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/symmetric_half.hpp>
#include <ashlar/streaming/streamed_symmetric_matrix.hpp>
#include <cstdio>
#include <limits>
#include <streaming/less.hpp>
#include <support/plain_product.hpp>

namespace ashlar::perf {

bool run_sending_less(const Exec& exec, const StreamingCase& matrix, const StreamingPerfOptions& options,
                      nlohmann::json& results) {
  const HostMatrix& host = matrix.host;
  const double link = plain_copy_gb_s(Kokkos::Experimental::partition_space(exec, 1)[0], host);
  const auto x = test_vector<double>(exec, host.num_cols());
  const Vector<double> y("perf::y", host.num_rows());
  const auto expected = plain_product(exec, copy_to<Space>(exec, host), x, Mode::no_transpose);
  std::printf("%s: %.2f GB, plain copy %.2f GB/s\n", matrix.name.c_str(), matrix.value_bytes() * 1e-9, link);
  double seconds_of_all = 0;
  bool all_right = true;
  const auto measure = [&](const char* kernel, const auto& streamed, double sent, double rounding) {
    Kokkos::deep_copy(exec, y, std::numeric_limits<double>::quiet_NaN());
    streamed.apply(exec, x, y);
    Expected<double> within = expected;
    within.summands *= rounding * rounding;  // of which the root is taken
    const bool right = error_of(exec, y, within) == 0;
    all_right = all_right && right;
    constexpr int in_turn = 3;  // as a solver would
    const double seconds = median_seconds(options.samples,
                                          [&] {
                                            for (int i = 0; i < in_turn; ++i) streamed.apply(exec, x, y);
                                            exec.fence("perf: products");
                                          }) /
                           in_turn;
    if (seconds_of_all == 0) seconds_of_all = seconds;
    std::printf("  %-34s %8.2f ms, %.2f times as fast; %.2f GB sent, link %.3f%s\n", kernel, seconds * 1e3,
                seconds_of_all / seconds, sent * 1e-9, sent / seconds * 1e-9 / link, right ? "" : " WRONG RESULT");
    std::fflush(stdout);
    results.push_back({{"case", matrix.name},
                       {"library", "ashlar"},
                       {"kernel", kernel},
                       {"type", "double"},
                       {"block_size", host.block_size()},
                       {"seconds", seconds},
                       {"speed_up", seconds_of_all / seconds},
                       {"bytes", matrix.value_bytes()},
                       {"sent_bytes", sent},
                       {"gb_s", matrix.value_bytes() / seconds * 1e-9},
                       {"limit_gb_s", link},
                       {"fraction", sent / seconds * 1e-9 / link},
                       {"verified", right},
                       {"plan", streamed.explain()}});
    if (!right) results.back().erase("seconds");
  };
  StreamingOptions streaming{.num_buffers = options.buffers, .num_resident = 0, .copy_always = true};
  {
    const Streamed all(exec, host, streaming);
    measure("all of it is sent", all, double(all.estimate().sent_bytes), 1);
  }
  {
    const Kokkos::DefaultHostExecutionSpace host_exec;
    const HostMatrix half = symmetric_half(host_exec, host);
    host_exec.fence("perf: half of the matrix");
    const StreamedSymmetricMatrix<Matrix> symmetric(exec, half, streaming);
    measure("half of it: A = T + T^T", symmetric, double(symmetric.estimate().sent_bytes), 2);
  }
  using Floats = BcsrMatrix<float>;
  const Kokkos::DefaultHostExecutionSpace host_exec;
  const auto floats = convert_values<float>(host_exec, host);
  host_exec.fence("perf: floats");
  streaming.product.double_vectors = true;
  const StreamedMatrix<Floats> single(exec, floats, streaming);
  measure("values in single precision", single, double(single.estimate().sent_bytes),
          double(std::numeric_limits<float>::epsilon()) / std::numeric_limits<double>::epsilon());
  return all_right;
}

}  // namespace ashlar::perf
