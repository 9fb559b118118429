#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/team_sums.hpp>
#include <ashlar/device/virtual_team.hpp>
#include <ashlar/spmv/impl/arguments.hpp>
#include <ashlar/spmv/impl/spmv_launch.hpp>
#include <ashlar/spmv/team_product.hpp>
#include <cstdint>
#include <string>

namespace ashlar::impl {

/// Teams that go through the places of a TeamProduct, and add up x^H y.
template <class Product, class Exec>
struct DotTeams {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

  Product product;
  TeamSumsAccess sums;
  double* total;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto meet = [&] { team.team_barrier(); };
    char* const scratch =
        static_cast<char*>(team.team_scratch(0).get_shmem_aligned(teams_of_block(team) * product.scratch_bytes(), 16));
    const int own = team.team_rank() / Product::threads, rank = team.team_rank() % Product::threads;
    char* const of_team = scratch + own * product.scratch_bytes();
    double sum[1] = {0};
    // All teams are at neighbouring rows at a time, so that what of x they share comes from the cache.
    product(std::int64_t(team.league_rank()) * teams_of_block(team) + own, product.num_places(),
            std::int64_t(team.league_size()) * teams_of_block(team), rank, of_team, meet, sum);
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
