#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/amg/coarsening.hpp>
#include <ashlar/amg/figures.hpp>
#include <ashlar/amg/hierarchy.hpp>
#include <ashlar/amg/level.hpp>
#include <ashlar/amg/near_null_space.hpp>
#include <ashlar/amg/options.hpp>
#include <ashlar/amg/preconditioner.hpp>
#include <ashlar/amg/preconditioner_bytes.hpp>
#include <ashlar/amg/streamed_level.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/matrix_bytes.hpp>
#include <ashlar/cycles/cycle.hpp>
#include <ashlar/device/memory/available_memory.hpp>
#include <ashlar/host/memory.hpp>
#include <ashlar/operators/preconditioner_bytes.hpp>
#include <ashlar/streaming/planner.hpp>
#include <ashlar/streaming/streamed_matrix.hpp>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// Include this file for algebraic multigrid of a matrix that does not fit on the device together with its levels.

namespace ashlar::amg {

/// Algebraic multigrid for a matrix that is streamed: the first coarse level is made on the host, where the matrix is.
/// The prolongator to the finest level and all coarse levels are on the device, and the finest level multiplies by
/// streaming. The cycle is the one of Preconditioner.
///
///     const amg::StreamedPreconditioner<Matrix> m(exec, a, modes, {}, {.device_memory_limit = bytes});
///     cg(exec, m.product(), m, b, x);
///
/// Product is StreamedMatrix<Matrix> or StreamedSymmetricMatrix<Matrix>; the solver uses the same one, product().
///
/// Shapes   A is square, with square blocks; r and z as for Preconditioner.
/// Types    all levels have the precision of A.
/// Memory   `a` and `modes` are in the host's memory; shares the data of `a`. On the device: the prolongator with an
///          index, diagonal blocks, five vectors, and the coarse levels. device_bytes() is planned for them, by
///          estimate about 1.3 times the matrix for elasticity in three dimensions. On the host, set-up takes about as
///          much as Preconditioner takes, and keeps the structures of the products. Copies share the levels.
/// Async    the constructor and update_values() first wait for `exec`, which may have filled `a`. Applications are
///          enqueued if products of the streamed matrix are.
/// Throws   as Preconditioner; ArgumentError for Gauss-Seidel, which needs the rows of A on the device; MemoryError if
///          the limit is too small, which names the least that is enough.
template <bcsr_matrix Matrix, class Product = StreamedMatrix<Matrix>>
class StreamedPreconditioner {
 public:
  using Exec = typename Matrix::memory_space::execution_space;
  using HostMatrix = typename Product::host_type;
  using HostExec = Kokkos::DefaultHostExecutionSpace;
  using Modes = NearNullSpace<Kokkos::HostSpace>;

  /// make_product(bytes) returns a std::shared_ptr<Product> that multiplies by `a` and leaves as many bytes of the
  /// device's memory to this preconditioner. It is called once, before anything else is allocated on the device.
  template <class MakeProduct>
  requires std::invocable<const MakeProduct&, std::uint64_t> StreamedPreconditioner(const Exec& exec,
                                                                                    const HostMatrix& a, Modes modes,
                                                                                    const Options& options,
                                                                                    const MakeProduct& make_product)
      : held_(std::make_shared<Held>(a, options)) {
    check_streamed(options);
    exec.fence("ashlar::amg: a streamed matrix and its modes");
    const HostExec host;
    const OnHost here = held_->on_host();
    impl::check_input(host, here, modes);
    const Level<OnHost> fine(host, here, options);
    if (here.num_rows() > options.coarsest_rows && options.max_levels > 1) {
      SetupTimes times;
      held_->coarsening = Coarsening<OnHost>::by_aggregates(host, here, modes, options, times);  // modes: now coarse
    }
    std::optional<std::pair<OnHost, OnHost>> coarsened;
    if (held_->coarsening) coarsened = coarsen(here, fine);
    held_->device_bytes = bytes_of(here, options, coarsened);
    const std::shared_ptr<Product> product = make_product(held_->device_bytes);
    held_->fine.emplace(exec, StreamedLevel(exec, product, here), options, fine.largest_eigenvalue());
    if (coarsened) {
      Options below = options;
      --below.max_levels;
      const Matrix next = impl::on_device<Matrix>(exec, coarsened->second);
      const auto coarse_modes =
          Kokkos::create_mirror_view_and_copy(Kokkos::view_alloc(exec, typename Matrix::memory_space()), modes);
      held_->coarse.emplace(exec, next, coarse_modes, below, 1);  // level 1 in messages
      held_->fine->set_prolongator(exec, impl::on_device<Matrix>(exec, coarsened->first));
    }
    invert_if_alone(exec, here);
    const int levels = held_->coarse ? static_cast<int>(held_->coarse->hierarchy().levels().size()) : 0;
    if (options.cycle == cycles::CycleKind::w && levels > 1) {
      held_->again = cycles::cycle_steps(options.cycle, levels, {.from_zero = false});
    }
  }

  /// Products by `streaming`, whose device_memory_limit holds for the matrix, the two vectors of a product and this
  /// preconditioner together. (The solver's other vectors come besides.)
  /// Not for a StreamedSymmetricMatrix, which needs half of `a`, too: make it in make_product.
  StreamedPreconditioner(
      const Exec& exec, const HostMatrix& a, const Modes& modes, const Options& options = {},
      const StreamingOptions& streaming = {}) requires std::is_same_v<Product, StreamedMatrix<Matrix>>
      : StreamedPreconditioner(exec, a, modes, options, within_limit(exec, a, streaming)) {}

  /// Call this after you overwrite the values of `a` and, for a StreamedSymmetricMatrix, of its half. Wait for products
  /// before you overwrite: they read these values, also ahead. Aggregates and structures stay.
  ///
  /// Throws   ArgumentError with a strength above 0; NumericalError as the constructor. After an exception the
  ///          preconditioner is of no use: make a new one.
  void update_values(const Exec& exec) const {
    const Options& options = held_->options;
    if (options.strength > 0) {
      throw ArgumentError(text("amg: new values with strength ", options.strength),
                          "which couplings are strong depends on the values", "make a new preconditioner");
    }
    exec.fence("ashlar::amg: new values of a streamed matrix");
    const OnHost here = held_->on_host();
    impl::check_diagonal(HostExec(), here);
    const Level<OnHost> fine(HostExec(), here, options);
    const std::shared_ptr<Product> product = held_->fine->matrix().product;
    product->values_changed(exec);
    held_->fine->set_matrix(exec, StreamedLevel(exec, product, here), options, fine.largest_eigenvalue());
    if (held_->coarsening) {
      const auto [p, coarse] = coarsen(here, fine);
      // Into the memory of the old values: beside them there may be no room.
      const Matrix next = held_->coarse->hierarchy().levels().front().matrix();
      Kokkos::deep_copy(exec, held_->fine->transfer()->prolongator().values(), p.values());
      Kokkos::deep_copy(exec, next.values(), coarse.values());
      exec.fence("ashlar::amg: new values on the device");
      held_->coarse->update_values(exec, next);
    }
    invert_if_alone(exec, here);
  }

  /// z := M^-1 r
  template <class R, class Z>
  void apply(const Exec& exec, const R& r, const Z& z) const {
    impl::apply_by_columns(exec, *held_->fine, r, z, [&] { cycle(exec); });
  }

  bool is_identity() const { return false; }
  bool is_stream_ordered() const {
    return held_->fine->is_stream_ordered() && (!held_->coarse || held_->coarse->is_stream_ordered());
  }

  /// Bytes of the device's memory that the products of one cycle move at least.
  std::int64_t traffic_bytes() const {
    if (!held_->coarse) return 0;
    const auto& fine = *held_->fine;
    return fine.products_of_cycle() * fine.products().traffic_bytes() + 2 * fine.transfer()->traffic_bytes() +
           held_->coarse->traffic_bytes();
  }
  /// Bytes that one cycle sends to the device at most.
  std::uint64_t sent_bytes() const { return std::uint64_t(products_of_cycle()) * product().estimate().sent_bytes; }
  /// Bytes of device memory that are planned beside the streamed matrix, including the temporary memory of
  /// update_values(). The part of the coarse levels is an estimate.
  std::uint64_t device_bytes() const { return held_->device_bytes; }

  /// The streamed matrix, as a linear operator.
  const Product& product() const { return *held_->fine->matrix().product; }
  std::shared_ptr<Product> shared_product() const { return held_->fine->matrix().product; }

  /// Levels, sizes and complexity, a line each, and what a cycle sends.
  std::string explain() const {
    const auto& fine = *held_->fine;
    const std::int64_t rows = fine.products().num_rows(), b = fine.local().block_size();
    std::vector<LevelFigures> all{
        {rows, rows / b, fine.products().num_global_blocks(), static_cast<int>(b), fine.largest_eigenvalue()}};
    bool is_dense = fine.is_dense();
    if (held_->coarse) {
      for (const LevelFigures& level : held_->coarse->hierarchy().figures()) all.push_back(level);
      is_dense = held_->coarse->hierarchy().levels().back().is_dense();
    }
    return describe(held_->options, all, std::is_same_v<typename Matrix::scalar_type, float>, is_dense) +
           text("level 0 is streamed: ", products_of_cycle(), " products a cycle send ", bytes_text(sent_bytes()), "; ",
                bytes_text(held_->device_bytes), " of device memory are planned beside the matrix\n");
  }

 private:
  using OnHost = typename Matrix::template in_space<Kokkos::HostSpace>;
  using StreamedLevel = StreamedLevelMatrix<Matrix, Product>;

  struct Held {
    Held(const HostMatrix& given, const Options& with) : a(given), options(with) {}
    OnHost on_host() const { return impl::in_space_of<OnHost>(a); }

    HostMatrix a;
    Options options;
    std::optional<Coarsening<OnHost>> coarsening;
    std::optional<Level<StreamedLevel>> fine;
    std::optional<Preconditioner<Matrix>> coarse;
    std::vector<cycles::Step> again;  ///< a cycle of the coarse levels from their x, for the second half of a W-cycle
    std::uint64_t device_bytes = 0;
  };

  /// P and P^T A P.
  std::pair<OnHost, OnHost> coarsen(const OnHost& a, const Level<OnHost>& fine) const {
    const HostExec host;
    const double omega = held_->options.prolongator_damping / fine.largest_eigenvalue();
    const OnHost p = held_->coarsening->prolongator(host, a, fine.block_jacobi(), omega);
    const OnHost coarse = held_->coarsening->coarse_matrix(host, a, p);
    host.fence("ashlar::amg: the first coarse level");
    return {p, coarse};
  }

  /// Gives the finest level its inverse if it is the only level, and small.
  void invert_if_alone(const Exec& exec, const OnHost& a) const {
    if (!held_->coarse && a.num_rows() <= held_->options.coarsest_rows) {
      held_->fine->set_dense_inverse(exec, LevelMatrix<OnHost>::dense_rows(HostExec(), a));
    }
  }

  /// Products with A of an application.
  int products_of_cycle() const {
    if (held_->coarse) return held_->fine->products_of_cycle();
    return held_->fine->is_dense() ? 0 : held_->options.smoother_degree - 1;
  }

  /// The bytes of the finest level, and of the coarse levels if there are any: P, the first coarse matrix, the levels
  /// made from it, and the dense inverse of the coarsest.
  static std::uint64_t bytes_of(const OnHost& a, const Options& options,
                                const std::optional<std::pair<OnHost, OnHost>>& coarsened) {
    const std::uint64_t n = std::uint64_t(a.num_block_rows()), b = std::uint64_t(a.block_size());
    constexpr std::uint64_t scalar = sizeof(typename Matrix::scalar_type);
    std::uint64_t bytes = streamed_level_bytes<Matrix>(n, b, options.smoother);
    const std::uint64_t most = std::uint64_t(options.coarsest_rows);
    if (!coarsened) return bytes + (n * b <= most ? n * b * n * b * scalar : 0);
    const auto& [p, next] = *coarsened;
    const HeldBytes of_p = held_bytes(p), of_next = held_bytes(next);
    const std::uint64_t m = std::uint64_t(next.block_size()), dense = std::min(std::uint64_t(next.num_rows()), most);
    return bytes + of_p.device + of_p.host + transpose_index_bytes<Matrix>(p.num_block_cols(), p.num_blocks()) +
           of_next.device + of_next.host +
           preconditioner_bytes<Matrix>(next.num_block_rows(), next.num_blocks(), m, m) + dense * dense * scalar;
  }

  /// A function for the constructor that makes a Product within the limit, or within the free memory of now.
  static auto within_limit(const Exec& exec, const HostMatrix& a, StreamingOptions streaming) {
    const ashlar::impl::StreamingLimit limit =
        ashlar::impl::streaming_limit(streaming, available_bytes<typename Matrix::memory_space>());
    return [exec, a, streaming, limit](std::uint64_t taken) {
      StreamingOptions rest = streaming;
      rest.device_memory_limit = limit.bytes > taken ? limit.bytes - taken : 1;
      try {
        return std::make_shared<Product>(exec, a, rest);
      } catch (const MemoryError& error) {
        const std::uint64_t needed = error.needed() + taken;
        throw limit.error(
            needed, text("amg: a streamed matrix and its coarse levels need ", bytes_text(needed), " of device memory"),
            "take block-Jacobi");
      }
    };
  }

  void cycle(const Exec& exec) const {
    const auto& fine = *held_->fine;
    if (!held_->coarse) return fine.solve(exec);
    const auto& below = held_->coarse->hierarchy();
    const auto& next = below.levels().front();
    fine.smooth_zero(exec);
    fine.residual(exec);
    fine.restrict_residual(exec, next);
    below.cycle(exec);
    if (!held_->again.empty()) cycles::run(exec, held_->again, below.levels());
    fine.prolong_add(exec, next);
    fine.smooth_adjoint(exec);
  }

  std::shared_ptr<Held> held_;
};

}  // namespace ashlar::amg
