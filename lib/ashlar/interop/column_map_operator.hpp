#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/diagonal.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/distributed/space.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/halo_exchange.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/interop/column_sources.hpp>
#include <ashlar/spmv/plan.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace ashlar {

/// The same on all ranks, but for spmv.
struct ColumnMapOptions {
  ExchangeMode exchange = ExchangeMode::automatic;
  /// Of the product on this rank. A, not A^T.
  SpmvOptions spmv = {};
};

/// A rank's rows as others store them, with the columns of a column map: a local number for each column that occurs,
/// own ones and others' in any order. The linear operator y := A x of the solvers, on all ranks together.
///
/// The matrix is multiplied as it lies, so that nothing of it is copied or cut, as DistributedOperator does: x is first
/// gathered in the order of the column map, own entries while others' travel. Where that order is x's own nothing is
/// gathered or sent, and the product reads x in place.
///
/// Shapes   x: num_own block entries, y: a block entry for each block row; of rank 1, or of rank 2 with as many columns
///          on all ranks, of any layout.
/// Memory   shares the matrix's data. Stores x in the order of the column map, and buffers of its halo, for each number
///          of vectors: made by the first product with that number.
/// Async    the constructor, and the first product with so many vectors, are collective. A product waits on the host
///          where HaloExchange does. Copies share all of this: one solve at a time uses it.
/// Throws   constructor: on all ranks together, ArgumentError, ShapeError where plan, columns and matrix do not fit;
///          BlockSizeError. A product: ShapeError on the rank whose vectors do not fit, before anything is sent.
template <bcsr_matrix Matrix, execution_space Exec = typename Matrix::memory_space::execution_space>
class ColumnMapOperator {
 public:
  using scalar_type = typename Matrix::scalar_type;

  /// Columns are x's own entries, in their order, on every rank: nothing is exchanged.
  ColumnMapOperator(const Exec& exec, const Communicator& comm, Matrix rows, const ColumnMapOptions& options = {})
      : state_(std::make_shared<State>(exec, comm, std::move(rows), nullptr, ColumnSources{}, options)) {}

  /// Columns are what `sources` says, of this rank's num_own entries and the halo of the plan.
  ColumnMapOperator(const Exec& exec, const Communicator& comm, Matrix rows, const HaloPlan& plan,
                    const ColumnSources& sources, const ColumnMapOptions& options = {})
      : state_(std::make_shared<State>(exec, comm, std::move(rows), &plan, sources, options)) {}

  /// y := alpha*A*x + beta*y; beta == 0 overwrites NaN.
  template <class X, class Y>
  void apply(const Exec& exec, const scalar_type& alpha, const X& x, const scalar_type& beta, const Y& y) const {
    const State& s = *state_;
    s.check(x, y);
    if (!s.gather) return spmv(exec, *s.spmv_plan, alpha, s.matrix, x, beta, y);
    const Gathered& at = s.gathered_for(exec, X::rank() == 1 ? 1 : static_cast<int>(x.extent(1)));
    const auto columns = at.template columns<X::rank()>();
    HaloExchange<scalar_type, Exec>& exchange = *at.exchange;
    exchange.begin(exec, x);
    s.gather->own.run(exec, s.block_size, x, columns);
    exchange.end(exec);
    if constexpr (X::rank() == 1) {
      s.gather->halo.run(exec, s.block_size, exchange.halo(), columns);
    } else {
      s.gather->halo.run(exec, s.block_size, exchange.multi_halo(), columns);
    }
    spmv(exec, *s.spmv_plan, alpha, s.matrix, columns, beta, y);
  }

  /// y := A x.
  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    apply(exec, scalar_type(1), x, scalar_type(0), y);
  }

  DistributedSpace<Exec> space() const { return *state_->space; }
  /// Of this rank.
  std::int64_t traffic_bytes() const {
    const State& s = *state_;
    const std::int64_t entries = s.gather ? 2 * (s.num_own + s.plan.num_entries()) : 0;
    return spmv_traffic_bytes(s.matrix) + entries * s.block_size * std::int64_t(sizeof(scalar_type));
  }
  HeldBytes bytes() const {
    const State& s = *state_;
    HeldBytes bytes = held_bytes(s.matrix) + held_bytes(*s.spmv_plan);
    if (s.gather) bytes.device += s.gather->own.bytes() + s.gather->halo.bytes();
    for (const auto& [num_vectors, gathered] : s.gathered) {
      bytes = bytes + gathered.exchange->bytes() + HeldBytes{gathered.x.size() * sizeof(scalar_type), 0};
    }
    return bytes;
  }
  /// True if the host never waits: on a device, of a rank that is alone. (Sums are the host's messages.)
  bool is_stream_ordered() const {
    const State& s = *state_;
    return is_gpu_v<Exec> && s.space->is_stream_ordered() && (!s.gather || s.comm->is_alone());
  }
  /// Throws CommError where the device has waited for another rank in vain so far.
  void check() const {
    for (const auto& [num_vectors, gathered] : state_->gathered) gathered.exchange->check();
    state_->space->check();
  }
  std::string explain() const {
    const State& s = *state_;
    std::string result = s.spmv_plan->explain();
    if (!s.gather) return result + "; x is read in place";
    result += text("; x is gathered in the order of ", s.matrix.num_block_cols(), " columns: ", s.plan.explain());
    for (const auto& [num_vectors, gathered] : s.gathered) result += text("; ", gathered.exchange->explain());
    return result;
  }

  /// This rank's rows.
  const Matrix& matrix() const { return state_->matrix; }
  /// The local column of each block entry of this rank's x; -1 for an entry that its rows do not read. Allocates the
  /// list, and enqueues its values on `exec`.
  Kokkos::View<std::int64_t*, typename Matrix::memory_space> own_columns(const Exec& exec) const {
    const State& s = *state_;
    const Kokkos::View<std::int64_t*, Space> columns(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::column_map::own_columns"), std::size_t(s.num_own));
    if (s.gather) {
      Kokkos::deep_copy(exec, columns, -1);
      s.gather->own.list_targets(exec, columns);
    } else {
      Kokkos::parallel_for(
          "ashlar::column_map[own columns]",
          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, s.num_own),
          KOKKOS_LAMBDA(std::int64_t i) { columns(i) = i; });
    }
    return columns;
  }
  /// An empty vector for a matrix whose x is read in place.
  const HaloPlan& halo_plan() const { return state_->plan; }
  int block_size() const { return state_->block_size; }
  /// The operator's own.
  const Communicator& communicator() const { return *state_->comm; }

 private:
  using Space = typename Matrix::memory_space;

  /// x in the order of the column map, for so many vectors.
  struct Gathered {
    Kokkos::View<scalar_type**, Kokkos::LayoutLeft, Space> x;
    std::unique_ptr<HaloExchange<scalar_type, Exec>> exchange;

    template <int Rank>
    auto columns() const {
      if constexpr (Rank == 1) {
        return Kokkos::View<scalar_type*, Space>(x.data(), x.extent(0));
      } else {
        return x;
      }
    }
  };

  struct Gather {
    impl::EntryMovesIn<Space> own, halo;
  };

  struct State {
    State(const Exec& exec, const Communicator& given, Matrix rows, const HaloPlan* halo, const ColumnSources& sources,
          const ColumnMapOptions& the_options)
        : comm(std::make_shared<const Communicator>(given.duplicate())), matrix(std::move(rows)), options(the_options) {
      comm->together([&] {
        block_size = size_of_square(name, matrix.block_shape());
        num_own = halo ? halo->num_own() : std::int64_t(matrix.num_block_cols());
        if (halo) check_sources(*halo, sources);
        spmv_plan.emplace(exec, matrix, options.spmv);
      });
      space.emplace(exec, comm, matrix.num_rows());
      if (!halo) return;
      plan = *halo;
      gather.emplace(Gather{impl::EntryMovesIn<Space>(sources.own), impl::EntryMovesIn<Space>(sources.halo)});
      gathered_for(exec, options.spmv.num_vectors);
    }

    void check_sources(const HaloPlan& halo, const ColumnSources& sources) const {
      const std::int64_t columns = matrix.num_block_cols();
      const auto check_moves = [&](const EntryMoves& moves, std::int64_t entries, const char* of) {
        for (std::size_t k = 0; k < moves.to.size(); ++k) {
          if (moves.to[k] >= 0 && moves.to[k] < columns && moves.from[k] >= 0 && moves.from[k] < entries) continue;
          throw ArgumentError(text(name, ": column ", moves.to[k], " comes from entry ", moves.from[k], " of ", of),
                              text("there are ", columns, " columns and ", entries, " such entries"),
                              "check that columns and plan are of one matrix");
        }
      };
      check_moves(sources.own, num_own, "x");
      check_moves(sources.halo, halo.num_entries(), "the halo");
      if (std::int64_t(sources.own.to.size() + sources.halo.to.size()) != columns) {
        throw ArgumentError(text(name, ": sources of ", sources.own.to.size() + sources.halo.to.size(), " columns"),
                            text("the matrix has ", columns), "say for each column where its entries come from, once");
      }
    }

    /// Throws ShapeError before anything is sent.
    template <class X, class Y>
    void check(const X& x, const Y& y) const {
      const std::int64_t rows = num_own * block_size;
      if (std::int64_t(x.extent(0)) == rows && std::int64_t(y.extent(0)) == matrix.num_rows() &&
          x.extent(1) == y.extent(1)) {
        return;
      }
      throw ShapeError(text(name, ": x of ", x.extent(0), " x ", x.extent(1), " and y of ", y.extent(0), " x ",
                            y.extent(1), " on rank ", comm->rank()),
                       text("its part of x has ", rows, " rows, and of y ", matrix.num_rows()),
                       "pass the parts of this rank, with as many columns of both");
    }

    /// Collective, where there is none yet for so many vectors.
    const Gathered& gathered_for(const Exec& exec, int num_vectors) const {
      if (const auto found = gathered.find(num_vectors); found != gathered.end()) return found->second;
      Gathered made;
      made.exchange = std::make_unique<HaloExchange<scalar_type, Exec>>(exec, *comm, plan, block_size, num_vectors,
                                                                        options.exchange);
      made.x = comm->together([&] {
        return decltype(made.x)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::column_map::x"),
                                std::size_t(matrix.num_cols()), std::size_t(num_vectors));
      });
      return gathered.emplace(num_vectors, std::move(made)).first->second;
    }

    static constexpr const char* name = "ColumnMapOperator";

    std::shared_ptr<const Communicator> comm;
    Matrix matrix;
    ColumnMapOptions options;
    int block_size = 1;
    std::int64_t num_own = 0;
    std::optional<SpmvPlan<Matrix>> spmv_plan;
    HaloPlan plan;
    std::optional<Gather> gather;
    std::optional<DistributedSpace<Exec>> space;
    mutable std::map<int, Gathered> gathered;  // by the number of vectors
  };

  std::shared_ptr<const State> state_;
};

/// The diagonal blocks of this rank's rows as a square matrix, for Jacobi and block-Jacobi preconditioners:
///
///   const BlockJacobiPreconditioner preconditioner(exec, diagonal_blocks(exec, a));
///
/// The diagonal block of block row i is in the column that reads x's own entry i, wherever the column map has it: own
/// columns may be in any order among ghost columns. A row without such a block is empty. Later changes of the matrix'
/// values are not followed.
///
/// Memory   allocates the result, a block and two numbers for each block row, and a number for each while it works.
/// Async    waits for `exec`. Not collective: what throws on one rank does not throw on the others.
/// Throws   ShapeError if the rank has another number of rows than of entries of x; StructureError if a row has no
///          diagonal block and its columns do not ascend.
template <bcsr_matrix Matrix, execution_space Exec>
Matrix diagonal_blocks(const Exec& exec, const ColumnMapOperator<Matrix, Exec>& a) {
  const auto own_columns = a.own_columns(exec);
  if (std::int64_t(own_columns.extent(0)) != std::int64_t(a.matrix().num_block_rows())) {
    throw ShapeError(text("diagonal_blocks: ", a.matrix().num_block_rows(), " block rows on a rank with ",
                          own_columns.extent(0), " block entries of x"),
                     "only a square operator has a diagonal", "partition rows and x alike");
  }
  Matrix result = diagonal_blocks(exec, a.matrix(), own_columns);
  exec.fence("ashlar::diagonal_blocks: own columns may go");
  return result;
}

}  // namespace ashlar
