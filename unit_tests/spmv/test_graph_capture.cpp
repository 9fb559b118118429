// Products in a CUDA graph: captured once, launched again with other values.
#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_CUDA)
#include <ashlar/reference/random_matrix.hpp>
#include <ashlar/spmv/tune.hpp>
#include <spmv/product_case.hpp>

namespace ashlar::testing {
namespace {

using Matrix = BcsrMatrix<double>;
using Case = ProductCase<Matrix>;
using Vector = Kokkos::View<double*, Matrix::memory_space>;

void check(cudaError_t code) { ASSERT_EQ(code, cudaSuccess) << cudaGetErrorString(code); }

/// What `enqueue` gives the stream, as a graph.
class CapturedGraph {
 public:
  template <class Enqueue>
  CapturedGraph(cudaStream_t stream, const Enqueue& enqueue) {
    // Relaxed: for a team policy Kokkos asks for 0 bytes of scratch memory at each launch, which the stricter modes
    // take for an allocation.
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    enqueue();
    check(cudaStreamEndCapture(stream, &graph_));
    check(cudaGraphInstantiate(&instance_, graph_, 0));
  }
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;
  ~CapturedGraph() {
    cudaGraphExecDestroy(instance_);
    cudaGraphDestroy(graph_);
  }

  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(instance_, stream)); }
  std::size_t num_nodes() const {
    std::size_t count = 0;
    check(cudaGraphGetNodes(graph_, nullptr, &count));
    return count;
  }

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t instance_ = nullptr;
};

/// Captures a product and launches it with two sets of values and of entries of x.
void expect_capturable(const SpmvPlan<Matrix>& plan, Case& c) {
  const bool transpose = is_transposed(plan.mode());
  const auto n = transpose ? c.host.num_rows() : c.host.num_cols();
  const auto m = transpose ? c.host.num_cols() : c.host.num_rows();
  const Vector x("x", n), y("y", m);
  const auto product = [&] { spmv(c.exec, plan, 2, c.device, x, 0, y); };
  // Kokkos sets things up at the first launch of a kernel.
  product();
  c.exec.fence();

  const cudaStream_t stream = c.exec.cuda_stream();
  const CapturedGraph graph(stream, product);
  EXPECT_EQ(graph.num_nodes(), plan.has_segments() ? 3 : 1) << plan.explain();
  for (const unsigned seed : {1u, 2u}) {
    const auto values = random_vector<double>(c.host.values().extent(0), 10 + seed);
    const auto entries = random_vector<double>(n, seed);
    for (std::size_t i = 0; i < values.size(); ++i) c.host.values()(i) = values[i];
    Kokkos::deep_copy(c.exec, c.device.values(), c.host.values());
    Kokkos::deep_copy(c.exec, x, to_device<Matrix::memory_space>(entries));
    Kokkos::deep_copy(c.exec, y, -1.0);
    graph.launch(stream);
    c.exec.fence();
    EXPECT_LE(max_difference(to_host(y), c.oracle(plan.mode(), 2, entries, 0, std::vector<double>(m))),
              Case::tolerance(c.longest_row(plan.mode()), 2, 0))
        << plan.explain() << ", seed " << seed;
  }
}

TEST(SpmvGraphCapture, LaunchesEveryKernelAgainWithNewValues) {
  const auto instance = Kokkos::Experimental::partition_space(Kokkos::Cuda(), 1)[0];
  for (const int b : {1, 2, 3, 33}) {
    Case c(reference::random_bcsr<Matrix>(70, 83, b, {.min_blocks = 1, .max_blocks = 9, .empty_every = 7}, 100 + b));
    c.exec = instance;
    for (const Kernel kernel : all_kernels) {
      for (const Mode mode : {Mode::no_transpose, Mode::transpose}) {
        if (!is_served(kernel, c.host, mode)) continue;
        expect_capturable(SpmvPlan<Matrix>(c.exec, c.device, {.kernel = kernel, .mode = mode}), c);
      }
    }
    expect_capturable(tune(c.exec, c.device).plan, c);
  }
}

TEST(SpmvGraphCapture, LaunchesLongRowsAgain) {
  Case c(reference::random_bcsr<Matrix>(300, 5000, 3, {.min_blocks = 0, .max_blocks = 3, .full_row = 123}, 4));
  c.exec = Kokkos::Experimental::partition_space(Kokkos::Cuda(), 1)[0];
  // The instance of the plan, and another: its partial results are made by the product before.
  for (const Kokkos::Cuda& of_plan : {c.exec, Kokkos::Cuda()}) {
    const SpmvPlan<Matrix> plan(of_plan, c.device, {.kernel = Kernel::by_column});
    ASSERT_TRUE(plan.has_segments());
    expect_capturable(plan, c);
  }
}

}  // namespace
}  // namespace ashlar::testing
#endif
