#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/distributed/impl/column_part.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/halo_exchange.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/spmv/plan.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// Remote blocks of a rank, as a matrix with the rows that have any. It multiplies consecutive entries of the halo.
template <class Matrix>
struct OtherPart {
  using Rows = Kokkos::View<const typename Matrix::ordinal_type*, typename Matrix::memory_space>;

  int neighbour = -1;  ///< its place in HaloPlan::from(); -1: all neighbours
  std::int64_t first_entry = 0;
  Rows rows;                       ///< its rows, as rows of the rank
  std::int64_t first_product = 0;  ///< where its products begin, in block entries, if they are held
  Matrix matrix;
  SpmvPlan<Matrix> plan;
};

/// to(i) := rows(at(i))
template <class Exec, class Rows, class At>
Rows rows_at(const Exec& exec, const Rows& rows, const At& at) {
  const Kokkos::View<typename Rows::non_const_value_type*, typename Rows::memory_space> to(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::distributed::rows"), at.extent(0));
  Kokkos::parallel_for(
      "ashlar::distributed[rows of a part]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, static_cast<std::int64_t>(at.extent(0))),
      KOKKOS_LAMBDA(std::int64_t i) { to(i) = rows(at(i)); });
  return to;
}

/// The remote blocks of a rank, `remote` in `rows`, as parts: one for all neighbours, or one for each.
template <class Exec, class Matrix>
std::vector<OtherPart<Matrix>> other_parts(const Exec& exec, const Matrix& remote,
                                           const typename OtherPart<Matrix>::Rows& rows, const HaloPlan& halo,
                                           bool by_neighbour, const SpmvOptions& options) {
  std::vector<OtherPart<Matrix>> parts;
  if (remote.num_block_rows() == 0) return parts;
  if (!by_neighbour) {
    parts.push_back({-1, 0, rows, 0, remote, SpmvPlan<Matrix>(exec, remote, options)});
    return parts;
  }
  std::int64_t first_product = 0;
  for (std::size_t k = 0; k < halo.from().size(); ++k) {
    const HaloPlan::Neighbour& from = halo.from()[k];
    BlocksInColumns<Matrix> blocks{remote.graph().row_ptr(), remote.graph().col_idx(),
                                   remote.values(),          {from.begin, from.begin + from.count},
                                   {from.begin, {}, {}},     {}};
    blocks.rows = rows_with(exec, remote.num_block_rows(), blocks);
    const Matrix matrix = build_by_rows<Matrix>(exec, remote.block_shape(),
                                                static_cast<typename Matrix::ordinal_type>(blocks.rows.extent(0)),
                                                static_cast<typename Matrix::ordinal_type>(from.count), blocks, blocks);
    parts.push_back({static_cast<int>(k), from.begin, rows_at(exec, rows, blocks.rows), first_product, matrix,
                     SpmvPlan<Matrix>(exec, matrix, options)});
    first_product += static_cast<std::int64_t>(matrix.num_block_rows());
  }
  return parts;
}

/// to(rows(i)) += from(i), for block rows i: adds the held products with a part.
template <class Exec, class Rows, class From, class To>
void add_rows(const Exec& exec, const Rows& rows, int block_rows, const From& from, const To& to) {
  const Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> all(
      exec, 0, static_cast<std::int64_t>(rows.extent(0)) * block_rows);
  if constexpr (To::rank() == 1) {
    Kokkos::parallel_for(
        "ashlar::distributed[add_rows]", all, KOKKOS_LAMBDA(std::int64_t i) {
          to(std::int64_t(rows(i / block_rows)) * block_rows + i % block_rows) += from(i);
        });
  } else {
    Kokkos::parallel_for(
        "ashlar::distributed[add_rows]", all, KOKKOS_LAMBDA(std::int64_t i) {
          const std::int64_t row = std::int64_t(rows(i / block_rows)) * block_rows + i % block_rows;
          for (std::size_t j = 0; j < to.extent(1); ++j) to(row, j) += from(i, j);
        });
  }
}

/// The sum of the figures of two exchanges.
inline HaloFigures sum_of(HaloFigures a, const HaloFigures& b) {
  a.exchanges += b.exchanges;
  a.sent += b.sent;
  a.received += b.received;
  a.is_staged = a.is_staged || b.is_staged;
  a.waited_seconds += b.waited_seconds;
  return a;
}

/// Buffers for products with a number of vectors of Scalar: the exchange of the halo; and if parts are multiplied in
/// the order in which they arrive, their products, until they are added in rank order.
template <class Scalar, class Matrix, class Exec>
struct VectorExchange {
  using Space = typename Matrix::memory_space;
  using Products = Kokkos::View<Scalar**, Kokkos::LayoutRight, Space>;

  Products products;                    ///< of all parts, consecutively; empty if products are added directly
  HaloExchange<Scalar, Exec> exchange;  ///< last member: destroyed before device memory is freed

  /// y := y + the product with a part, in its rows. Its halo entries have arrived.
  template <class Y>
  void multiply_add(const Exec& exec, const OtherPart<Matrix>& part, const Y& y) const {
    spmv(exec, part.plan, 1, part.matrix, halo_of<Y::rank()>(part), 1, y, part.rows);
  }

  /// Computes the products with such a part, and holds them for add().
  template <int Rank>
  void multiply(const Exec& exec, const OtherPart<Matrix>& part) const {
    spmv(exec, part.plan, 1, part.matrix, halo_of<Rank>(part), 0, products_of<Rank>(part));
  }

  /// y := y + the held products with a part, in its rows.
  template <class Y>
  void add(const Exec& exec, const OtherPart<Matrix>& part, const Y& y) const {
    add_rows(exec, part.rows, part.matrix.block_shape().rows, products_of<Y::rank()>(part), y);
  }

 private:
  template <int Rank>
  auto halo_of(const OtherPart<Matrix>& part) const {
    return block_rows<Rank>(exchange.multi_halo(), part.first_entry, part.matrix.num_block_cols(),
                            part.matrix.block_shape().cols);
  }
  template <int Rank>
  auto products_of(const OtherPart<Matrix>& part) const {
    return block_rows<Rank>(products, part.first_product, part.matrix.num_block_rows(), part.matrix.block_shape().rows);
  }
  /// Some rows of vectors; of rank 1 if there is one vector.
  template <int Rank, class Vectors>
  static auto block_rows(const Vectors& all, std::int64_t first, std::int64_t count, std::int64_t block) {
    if constexpr (Rank == 1) {  // contiguous
      KOKKOS_ASSERT(all.extent(1) == 1);
      return Kokkos::View<Scalar*, typename Vectors::memory_space>(all.data() + first * block, count * block);
    } else {
      return Kokkos::subview(all, std::pair(first * block, (first + count) * block), Kokkos::ALL);
    }
  }
};

/// The buffers for each number of vectors, made by the first product that needs them. Making them is collective, and in
/// the same order on all ranks, since all ranks make the same products.
template <class Scalar, class Matrix, class Exec>
class VectorExchanges {
 public:
  using Exchange = VectorExchange<Scalar, Matrix, Exec>;

  Exchange& of(const Exec& exec, const Communicator& comm, const HaloPlan& halo, int block_size, int num_vectors,
               ExchangeMode mode, const std::vector<OtherPart<Matrix>>& parts, bool holds_products) {
    if (const auto found = exchanges_.find(num_vectors); found != exchanges_.end()) return found->second;
    std::int64_t rows = 0;
    for (const auto& part : parts) rows += holds_products ? part.matrix.num_rows() : 0;
    HaloExchange<Scalar, Exec> exchange(exec, comm, halo, block_size, num_vectors, mode);
    const typename Exchange::Products products = comm.together([&] {
      return typename Exchange::Products(
          Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::distributed::products"), rows, num_vectors);
    });
    return exchanges_.emplace(num_vectors, Exchange{products, std::move(exchange)}).first->second;
  }

  /// Throws   CommError if the device has waited for another rank in vain.
  void check() const {
    for (const auto& [num_vectors, exchange] : exchanges_) exchange.exchange.check();
  }

  HeldBytes bytes() const {
    HeldBytes bytes;
    for (const auto& [num_vectors, exchange] : exchanges_) {
      bytes = bytes + exchange.exchange.bytes() + HeldBytes{exchange.products.size() * sizeof(Scalar), 0};
    }
    return bytes;
  }

  /// The sum over all exchanges.
  HaloFigures figures() const {
    HaloFigures figures;
    for (const auto& [num_vectors, exchange] : exchanges_) figures = sum_of(figures, exchange.exchange.figures());
    return figures;
  }
  /// The text of each exchange, after "; ".
  std::string explain() const {
    std::string result;
    for (const auto& [num_vectors, exchange] : exchanges_) {
      result += text("; ", exchange.exchange.explain());
      if (num_vectors > 1) result += text(", of ", num_vectors, " vectors each");
    }
    return result;
  }

 private:
  std::map<int, Exchange> exchanges_;
};

}  // namespace ashlar::impl
