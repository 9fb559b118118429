// What perf_spmv lends other libraries, which know vectors by their addresses alone.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/problems/grid27.hpp>
#include <cstring>
#include <spmv/measure_peers.hpp>
#include <vector>

namespace ashlar::perf {
namespace {

int freed = 0;  // vectors of measure_peers, as Kokkos Tools tells

void count_freed(Kokkos_Profiling_SpaceHandle, const char* label, const void*, std::uint64_t) {
  if (std::strcmp(label, "perf::x") == 0 || std::strcmp(label, "perf::y") == 0) ++freed;
}

std::vector<int> freed_at_calls;

/// The right product, without a View of either vector.
std::vector<Peer> by_address(const Exec& exec, const Matrix& a, const Vector<double>& x, const Vector<double>& y) {
  using Borrowed = Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged>;
  return {{"Theirs", "by address", [exec, a, at_x = x.data(), at_y = y.data()] {
             freed_at_calls.push_back(freed);
             if (freed > 0) return;
             const Borrowed from(at_x, a.num_cols()), to(at_y, a.num_rows());
             Kokkos::deep_copy(exec, to, plain_product(exec, a, from, Mode::no_transpose).y);
             exec.fence("test: a product of another library");
           }}};
}

TEST(MeasurePeers, VectorsAreThereUntilAllIsTimed) {
  namespace tools = Kokkos::Tools::Experimental;
  const tools::EventSet before = tools::get_callbacks();
  freed = 0;
  freed_at_calls.clear();
  tools::set_deallocate_data_callback(count_freed);
  const Exec exec;
  nlohmann::json results = nlohmann::json::array();
  {
    Measurement measurement(exec, 100, 1, results);
    measure_peers(exec, "a case", problems::grid27<Matrix>(exec, 4, 4, 4, 2), {{"theirs", by_address}}, measurement);
    EXPECT_EQ(freed_at_calls.size(), 1U) << "checked";
    measurement.time_all();
  }
  tools::set_callbacks(before);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0]["verified"], true);
  EXPECT_GT(freed_at_calls.size(), 1U);
  for (const int count : freed_at_calls) EXPECT_EQ(count, 0);
  EXPECT_EQ(freed, 2) << "and let go of then";
}

}  // namespace
}  // namespace ashlar::perf
