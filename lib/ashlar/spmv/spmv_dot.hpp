#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/device/teams/team_sums.hpp>
#include <ashlar/device/teams/virtual_team.hpp>
#include <ashlar/spmv/impl/launch/spmv_launch.hpp>
#include <ashlar/spmv/impl/operands/arguments.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <ashlar/spmv/team_product.hpp>
#include <cstdint>
#include <string>
#include <type_traits>

namespace ashlar::impl {

/// Teams that go through the places of a TeamProduct, and add up x^H y.
template <class Product, class Exec>
struct DotTeams {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

  Product product;
  TeamSumsAccess sums;
  double* total;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto barrier = [&] { team.team_barrier(); };
    char* const scratch =
        static_cast<char*>(team.team_scratch(0).get_shmem_aligned(teams_of_block(team) * product.scratch_bytes(), 16));
    const int own = team.team_rank() / Product::threads, rank = team.team_rank() % Product::threads;
    char* const of_team = scratch + own * product.scratch_bytes();
    double sum[1] = {0};
    // All teams are at neighbouring rows at a time, so that what of x they share comes from the cache.
    product(std::int64_t(team.league_rank()) * teams_of_block(team) + own, product.num_places(),
            std::int64_t(team.league_size()) * teams_of_block(team), rank, of_team, barrier, sum);
    sums.add<1>(team, sum, {total});
  }

 private:
  KOKKOS_INLINE_FUNCTION static int teams_of_block(const Member& team) { return team.team_size() / Product::threads; }
};

/// Runs it for one block size of those compiled in. One specialisation for each type, instantiated in the library.
template <class Exec, class Value, class Layout, class Ordinal, class Offset>
struct SpmvDotKernel {
  using Arguments = SpmvArguments<Value, Value, Ordinal, Offset>;

  static void run(const Exec& exec, const std::string& label, TileShape tile, const Arguments& arguments,
                  const TeamSumsAccess& sums, double* total);
};

template <class Exec, class Value, class Layout, class Ordinal, class Offset>
void SpmvDotKernel<Exec, Value, Layout, Ordinal, Offset>::run(const Exec& exec, const std::string& label,
                                                              TileShape tile, const Arguments& arguments,
                                                              const TeamSumsAccess& sums, double* total) {
  with_block_size(arguments.block_shape, [&](auto block_size) {
    using Product = TeamProduct<Value, Layout, Ordinal, Offset, block_size() == 0 ? 1 : block_size(), Exec>;
    if constexpr (block_size() > 0 && Product::is_served) {
      // 64 registers a thread. (A team of Kokkos' is one of by_tile's, or 8 warps of by_line's.)
      constexpr int threads = Product::by_tile ? Product::threads : 256, teams_at_a_time = 1024 / threads;
      const std::int64_t resident = std::max<std::int64_t>(exec.concurrency() / threads / 2, 1);
      const std::int64_t each = threads / Product::threads;
      const Product product(arguments, tile, resident * each);
      const auto blocks =
          std::clamp<std::int64_t>((product.num_places() + each - 1) / each, 1,
                                   std::min<std::int64_t>(resident, TeamSums<typename Exec::memory_space>::most_teams));
      Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<threads, teams_at_a_time>> policy(exec, static_cast<int>(blocks),
                                                                                      threads);
      policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(each * product.scratch_bytes() + 16)));
      Kokkos::parallel_for(label, policy, DotTeams<Product, Exec>{product, sums, total});
    }
  });
}

}  // namespace ashlar::impl

// Kernels that the library holds compiled.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
namespace ashlar::impl {
extern template struct SpmvDotKernel<Kokkos::DefaultExecutionSpace, double, BlockColumnMajor, std::int32_t,
                                     std::int32_t>;
extern template struct SpmvDotKernel<Kokkos::DefaultExecutionSpace, double, BlockRowMajor, std::int32_t, std::int32_t>;
extern template struct SpmvDotKernel<Kokkos::DefaultExecutionSpace, float, BlockColumnMajor, std::int32_t,
                                     std::int32_t>;
extern template struct SpmvDotKernel<Kokkos::DefaultExecutionSpace, float, BlockRowMajor, std::int32_t, std::int32_t>;
}  // namespace ashlar::impl
#endif

namespace ashlar {

/// y := A x and *total := x^H y, its real part: in one pass on GPUs, for real square blocks up to 7 of a compiled size
/// that are not transposed; else one after the other.
///
/// Shapes   A is square; x and y are contiguous vectors of num_rows() entries.
/// Memory   all reachable from `exec`; x and y must not overlap; `sums` is scratch memory, nobody else's until this has
///          ended.
/// Async    enqueued on `exec`; no fence, no allocation. Two runs give the same bits.
/// Traffic  spmv_traffic_bytes(A, true, plan.mode()), where it is one pass; else |x| + |y| more.
/// Throws   ShapeError before anything is launched.
template <execution_space Exec, bcsr_matrix Matrix, vector_view X, vector_view Y>
void spmv_dot(const Exec& exec, const SpmvPlan<Matrix>& plan, const Matrix& a, const X& x, const Y& y,
              const TeamSumsAccess& sums, double* total) {
  using Scalar = typename X::non_const_value_type;
  using Value = typename Matrix::scalar_type;
  if (x.extent(0) != y.extent(0)) {
    throw ShapeError(text("spmv_dot: x has ", x.extent(0), " entries and y has ", y.extent(0)),
                     "their dot product is asked for: A must be square", "multiply by spmv()");
  }
  if constexpr (is_gpu_v<Exec> && std::is_same_v<Value, Scalar> && std::is_floating_point_v<Value>) {
    if (why_no_team_product(plan, a).empty() && plan.launch().grouping.width > 0) {
      impl::check_spmv(plan, a, x, y);
      if (a.num_block_rows() == 0) {
        Kokkos::deep_copy(exec, Kokkos::View<double, typename Exec::memory_space>(total), 0.0);
        return;
      }
      auto arguments = impl::spmv_arguments(plan, a, Scalar(1), Scalar(0));
      arguments.x = x.data();
      arguments.y = y.data();
      impl::SpmvDotKernel<Exec, Value, typename Matrix::layout_type, typename Matrix::ordinal_type,
                          typename Matrix::offset_type>::run(exec, plan.launch().label + "[dot]", plan.launch().tile,
                                                             arguments, sums, total);
      return;
    }
  }
  spmv(exec, plan, Scalar(1), a, x, Scalar(0), y);
  sum_over_entries<1>(
      "ashlar::spmv_dot[dot]", exec, y.extent(0), sums, {total},
      KOKKOS_LAMBDA(std::int64_t i, double(&sum)[1]) { sum[0] += real_product(x(i), y(i)); });
}

}  // namespace ashlar
