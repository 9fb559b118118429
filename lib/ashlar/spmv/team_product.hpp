#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/device/teams/virtual_team.hpp>
#include <ashlar/spmv/impl/kernels/by_line.hpp>
#include <ashlar/spmv/impl/kernels/by_tile.hpp>
#include <ashlar/spmv/impl/launch/launch.hpp>
#include <ashlar/spmv/impl/operands/arguments.hpp>
#include <ashlar/spmv/impl/products/block_parts.hpp>
#include <ashlar/spmv/plan.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>

namespace ashlar::impl {

/// Block rows whose product y := A x leaves x^H y behind: a thread adds its share to *dot as it stores. A is square.
template <class Rows>
struct DottedRows : Rows {
  double* dot;

  KOKKOS_INLINE_FUNCTION void store(std::int64_t block_row, int row, const typename Rows::scalar_type& sum) const {
    const std::int64_t i = block_row * this->rows_of_block() + row;
    this->a.y[i] = sum;
    *dot += real_product(this->a.x[i], sum);
  }
};

}  // namespace ashlar::impl

namespace ashlar {

/// The largest blocks for which a team's product serves: beyond, vectors are little beside the matrix.
inline constexpr int largest_team_product_block = 7;

/// y := A x with x^H y left behind, as work for teams of any kind: what one team does for its block rows is a device
/// function. Kernels that multiply and do other things besides, such as persistent ones, are made of it.
///
/// For square blocks of size B, compiled in, by the kernels that plans choose for such blocks: by_tile for B = 1,
/// by_line for larger ones.
template <class Value, class Layout, class Ordinal, class Offset, int B, execution_space Exec>
class TeamProduct {
 public:
  using Scalar = Value;
  using Rows = impl::BlockRows<Value, Value, Layout, Ordinal, Offset, B, false>;
  using Arguments = impl::SpmvArguments<Value, Value, Ordinal, Offset>;
  static constexpr bool by_columns = std::is_same_v<Layout, BlockColumnMajor>;
  static constexpr bool by_tile = B == 1;
  static constexpr int block_size = B;
  /// By line: how the lanes share the lines of a block.
  static constexpr impl::LineParts line_of_block = impl::line_parts(B, sizeof(Value), sizeof(Value), by_columns);

  static constexpr bool is_served = by_tile || (B >= 2 && B <= largest_team_product_block && line_of_block.is_served());

  /// Threads of a team: a team takes whole groups of lanes.
  static constexpr int threads = by_tile ? impl::lanes_of_tile : 32;
  static_assert(std::is_floating_point_v<Value>);

  explicit TeamProduct(const Arguments& arguments) requires(!by_tile) : rows_{arguments}, tile_() {}

  /// For some `num_teams` teams that are there at a time: each is to have work.
  TeamProduct(const Arguments& arguments, impl::TileShape tile, std::int64_t num_teams)
      : rows_{arguments}, tile_(tile) {
    if constexpr (by_tile) {
      // No more block rows than leave work for all teams; the capacity of tiles follows from the former number.
      const auto n = std::max<std::int64_t>(arguments.num_block_rows, 1);
      const auto fair = static_cast<int>(std::bit_ceil(std::uint64_t((n + num_teams - 1) / num_teams)));
      const int rows = std::clamp(fair, 1, tile.rows);
      const int capacity = std::max(tile.capacity / tile.rows, 1) * rows;
      tile_.rows = rows;
      tile_.capacity = std::clamp(capacity, 32, impl::most_held_by_tile(sizeof(Value)) / B);
      tile_.log2_lanes_of_row = std::countr_zero(unsigned(impl::lanes_of_tile / rows));
    }
  }

  /// Block rows that a team takes at a time.
  KOKKOS_INLINE_FUNCTION int block_rows_of_place() const {
    if constexpr (by_tile) {
      return tile_.rows;
    } else {
      return threads / width;
    }
  }

  /// Such places in the whole matrix.
  KOKKOS_INLINE_FUNCTION std::int64_t num_places() const {
    return (rows_.a.num_block_rows + block_rows_of_place() - 1) / block_rows_of_place();
  }

  /// Scratch memory of a team, a multiple of 16 bytes.
  KOKKOS_INLINE_FUNCTION std::size_t scratch_bytes() const {
    std::size_t bytes = 0;
    if constexpr (by_tile) {
      bytes = impl::ByTile<Rows, int>::scratch_bytes(tile_);
    } else {
      constexpr bool in_registers = line_of_block.parts == 1 && B <= width;
      constexpr int lines = (by_columns ? line_of_block.height : 1) + 1;
      bytes = in_registers ? 0 : (threads / width) * lines * width * sizeof(Value);
    }
    return (bytes + 15) / 16 * 16;
  }

  /// Multiplies the block rows of places first, first + step, ... before `last`, and adds the threads' shares of x^H y
  /// to *dot. `barrier` is where the threads of the team, of which this is number `rank`, wait for each other.
  template <class Barrier>
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t first, std::int64_t last, std::int64_t step, int rank,
                                         char* scratch, const Barrier& barrier, double* dot) const {
    using Team = VirtualTeam<Exec, Barrier>;
    using Dotted = impl::DottedRows<Rows>;
    for (std::int64_t place = first; place < last; place += step) {
      const Team team(static_cast<int>(place), rank, scratch, barrier);
      if constexpr (by_tile) {
        impl::ByTile<Dotted, Team>{Dotted{rows_, dot}, tile_}(team);
        barrier();  // before the scratch memory is written to again
      } else {
        constexpr bool in_warp = true;
        impl::ByLine<Dotted, Team, width>{Dotted{rows_, dot}, impl::Grouping{width, threads / width, in_warp}}(team);
      }
    }
  }

  KOKKOS_INLINE_FUNCTION const Arguments& arguments() const { return rows_.a; }
  static std::string describe() { return by_tile ? "by_tile" : "by_line"; }

 private:
  static constexpr int width_of() {
    if constexpr (by_tile) {
      return impl::lanes_of_tile;
    } else {
      return std::min(32, impl::usual_line_width(line_of_block, B));
    }
  }
  static constexpr int width = width_of();

  Rows rows_;
  impl::TileShape tile_;
};

/// Why a plan's products cannot be made so; empty where they can.
template <bcsr_matrix Matrix>
std::string why_no_team_product(const SpmvPlan<Matrix>& plan, const Matrix& a) {
  using Value = typename Matrix::scalar_type;
  if (!std::is_same_v<Value, double> && !std::is_same_v<Value, float>) return "the values are not of double or float";
  if (plan.mode() != Mode::no_transpose && plan.mode() != Mode::conjugate) return "the matrix is transposed";
  if (!a.block_shape().is_square() || a.num_block_rows() != a.num_block_cols()) return "the matrix is not square";
  if (a.block_size() > largest_team_product_block) return text("blocks are larger than ", largest_team_product_block);
  if (!is_compiled_block_size(a.block_size())) return "the block size is none that is compiled in";
  if (plan.has_segments()) return "long block rows are cut into segments";
  const Kernel kernel = plan.kernel();
  if (kernel != (a.block_size() == 1 ? Kernel::by_tile : Kernel::by_line)) {
    return text("the plan's kernel is ", to_string(kernel));
  }
  using Entry = vector_scalar_t<Value>;
  if (!impl::can_load_chunks(kernel, impl::spmv_arguments(plan, a, Entry(1), Entry(0)))) return "values are misaligned";
  return "";
}

}  // namespace ashlar
