#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/spmv/impl/launch/kernel_of.hpp>
#include <ashlar/spmv/impl/launch/spmv_launch.hpp>
#include <ashlar/spmv/impl/products/matrix_unit.hpp>
#include <ashlar/spmv/impl/products/tensor_core_product.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace ashlar::impl {

template <>
struct KernelOf<Kernel::tensor_core> : KernelBasics<Kernel::tensor_core> {
  static constexpr bool has_single = false;
  static constexpr bool has_multi = true;

  static bool serves(const SpmvShape& shape, int width) { return shape.double_vectors && (width == 0 || width >= 32); }
  static std::string why_not(const SpmvShape&, int) { return "it takes several vectors of doubles, with whole warps"; }
  static bool runs_on(const SpmvDevice& device) { return device.matrix_unit; }
  /// It counts what lies between two rows in 32 bits.
  template <class Exec, class Scalar>
  static bool can_read(const BlockShape&, const MultiVectors<Scalar>& vectors) {
    const std::int64_t most = std::numeric_limits<std::uint32_t>::max();
    return uses_matrix_unit_v<Exec, Scalar> && vectors.x.row_stride >= 0 && vectors.x.row_stride <= most;
  }

  /// For blocks of one or two rows most of its tiles would be empty.
  static bool pays(const SpmvShape& shape, const SpmvDevice&) { return shape.block_shape.rows > 2; }

  /// Warps that share the columns of a block row: more than one where there are few block rows, or long ones.
  static int choose_width(const SpmvShape& shape, const SpmvDevice& device) {
    constexpr double columns_of_warp = 128;  // that are worth a warp of their own
    const double columns = average_row(shape) * shape.block_shape.cols;
    int warps = 1;
    while (warps < 8 && columns > columns_of_warp * warps &&
           double(shape.num_block_rows) * warps * device.warp < double(device.threads)) {
      warps *= 2;
    }
    return warps * device.warp;
  }

  template <class Exec, class Rows>
  static void run_multi(const Exec& exec, const SpmvLaunch& launch, const Rows& rows,
                        const MultiVectors<typename Rows::scalar_type>& vectors) {
    // Without a matrix unit the plan refuses it.
    if constexpr (uses_matrix_unit_v<Exec, typename Rows::scalar_type>) {
      // Warps take the panels of a block row beside each other. Where vectors lie apart, a cache would have to hold all
      // of them for that: then one panel comes after the other.
      constexpr int widest = 32;
      if (!vectors.are_by_rows() && vectors.num_vectors > widest) {
        for (int first = 0; first < vectors.num_vectors; first += widest) {
          run_multi(exec, launch, rows, vectors.from(first, widest));
        }
        return;
      }
      with_tiles(rows.rows_of_block(), [&](auto row_tiles) {
        with_tiles(vectors.num_vectors,
                   [&](auto vector_tiles) { run_tiles<row_tiles(), vector_tiles()>(exec, launch, rows, vectors); });
      });
    }
  }

 private:
  /// How many tiles of 8 a warp multiplies side by side for so many rows, or vectors.
  template <class Function>
  static void with_tiles(int count, const Function& function) {
    if (count <= 8) return function(std::integral_constant<int, 1>{});
    if (count <= 16) return function(std::integral_constant<int, 2>{});
    function(std::integral_constant<int, 4>{});
  }

  template <int RowTiles, int VectorTiles, class Exec, class Rows>
  static void run_tiles(const Exec& exec, const SpmvLaunch& launch, const Rows& rows,
                        const MultiVectors<typename Rows::scalar_type>& vectors) {
    using TeamMember = typename Kokkos::TeamPolicy<Exec>::member_type;
    using Product = TensorCoreProduct<Rows, TeamMember, RowTiles, VectorTiles>;
    const int row_groups = (rows.rows_of_block() - 1) / (RowTiles * Product::tile) + 1;
    const int vector_groups = (vectors.num_vectors - 1) / Product::vectors_of_group + 1;
    Grouping grouping = launch.grouping;
    if (grouping.in_warp) grouping.groups = Product::threads_of_team / grouping.width;
    launch_teams<Product::threads_of_team, Product::teams>(
        exec, launch.label, grouping, rows.a.num_block_rows * row_groups * vector_groups,
        Product::scratch_scalars(grouping.width) * sizeof(typename Rows::scalar_type),
        Product{rows,
                vectors,
                grouping,
                row_groups,
                {Product::depth / rows.cols_of_block(), Product::depth % rows.cols_of_block()}});
  }
};

}  // namespace ashlar::impl
