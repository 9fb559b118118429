#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/distributed/impl/other_part.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/halo_exchange.hpp>
#include <ashlar/halo/halo_figures.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// What two exchanges of a rank have done together.
inline HaloFigures sum_of(HaloFigures a, const HaloFigures& b) {
  a.exchanges += b.exchanges;
  a.sent.messages += b.sent.messages;
  a.sent.bytes += b.sent.bytes;
  a.received.messages += b.received.messages;
  a.received.bytes += b.received.bytes;
  a.is_staged = a.is_staged || b.is_staged;
  a.waited_seconds += b.waited_seconds;
  return a;
}

/// What products with vectors of Scalar, so many at a time, need of memory: the exchange of their halo; and where parts
/// are multiplied in the order in which they come, their products, before they are added in that of ranks.
template <class Scalar, class Matrix, class Exec>
struct VectorExchange {
  using Space = typename Matrix::memory_space;
  using Products = Kokkos::View<Scalar**, Kokkos::LayoutRight, Space>;

  Products products;                    ///< of all parts, one after another; none where they are added as they are made
  HaloExchange<Scalar, Exec> exchange;  ///< gives up what is on its way before the device's memory is freed

  /// y := y + the product with a part whose entries of the halo have come, in the rows that it has.
  template <class Y>
  void multiply_add(const Exec& exec, const OtherPart<Matrix>& part, const Y& y) const {
    spmv(exec, part.plan, 1, part.matrix, halo_of<Y::rank()>(part), 1, y, part.rows);
  }

  /// The products with such a part, held until they are added.
  template <int Rank>
  void multiply(const Exec& exec, const OtherPart<Matrix>& part) const {
    if constexpr (Rank == 1) {
      spmv(exec, part.plan, 1, part.matrix, halo_of<Rank>(part), 0, products_of(part));
    } else {
      spmv(exec, part.plan, 1, part.matrix, halo_of<Rank>(part), 0, multi_products_of(part));
    }
  }

  /// y := y + the products with a part, in the rows that it has.
  template <class Y>
  void add(const Exec& exec, const OtherPart<Matrix>& part, const Y& y) const {
    const int block_rows = part.matrix.block_shape().rows;
    if constexpr (Y::rank() == 1) {
      add_rows(exec, part.rows, block_rows, products_of(part), y);
    } else {
      add_rows(exec, part.rows, block_rows, multi_products_of(part), y);
    }
  }

 private:
  static std::pair<std::int64_t, std::int64_t> range(std::int64_t first, std::int64_t count, std::int64_t block) {
    return {first * block, (first + count) * block};
  }
  template <int Rank>
  auto halo_of(const OtherPart<Matrix>& part) const {
    const auto entries = range(part.first_entry, part.matrix.num_block_cols(), part.matrix.block_shape().cols);
    if constexpr (Rank == 1) {
      return Kokkos::subview(exchange.halo(), entries);
    } else {
      return Kokkos::subview(exchange.multi_halo(), entries, Kokkos::ALL);
    }
  }
  auto rows_of(const OtherPart<Matrix>& part) const {
    return range(part.first_product, part.matrix.num_block_rows(), part.matrix.block_shape().rows);
  }
  /// Of one vector, which is contiguous.
  Kokkos::View<Scalar*, Space> products_of(const OtherPart<Matrix>& part) const {
    const auto [begin, end] = rows_of(part);
    return Kokkos::View<Scalar*, Space>(products.data() + begin, end - begin);
  }
  auto multi_products_of(const OtherPart<Matrix>& part) const {
    return Kokkos::subview(products, rows_of(part), Kokkos::ALL);
  }
};

/// Those for each number of vectors that has come up, made when it first does: collective, and in the same order on all
/// ranks, as they multiply the same. Products are held where `holds_products` says so.
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

  /// Throws CommError where the device has waited for another rank in vain.
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

  /// Of all exchanges.
  HaloFigures figures() const {
    HaloFigures figures;
    for (const auto& [num_vectors, exchange] : exchanges_) figures = sum_of(figures, exchange.exchange.figures());
    return figures;
  }
  /// What each of them says, after "; ".
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
