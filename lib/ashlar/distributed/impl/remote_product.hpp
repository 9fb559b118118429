#pragma once

#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/distributed/idle_clock.hpp>
#include <ashlar/distributed/impl/cut_matrix.hpp>
#include <ashlar/distributed/impl/vector_exchange.hpp>
#include <ashlar/distributed/options.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/spmv/plan.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// The product with a rank's remote columns, and the exchange of the halo that it needs.
///
/// In one dimension there is one remote part, which is added when the halo has come. In two dimensions there is one for
/// each neighbour. With overlap each is multiplied when its entries have come; the products are held, and added in the
/// order of ranks.
template <class Matrix, class Exec>
class RemoteProduct {
 public:
  using Value = typename Matrix::scalar_type;
  using Wide = vector_scalar_t<Value>;
  // Matrices of floats multiply vectors of floats, too.
  using Narrow = std::conditional_t<scalar<Value>, Value, Wide>;

  /// Collective, as all members up to make_exchange(). `comm` is of the operator's own messages.
  RemoteProduct(const Exec& exec, std::shared_ptr<const Communicator> comm,
                std::shared_ptr<const MatrixStructure<Matrix>> structure, const Matrix& remote, int block_size,
                const DistributedOptions& options)
      : comm_(std::move(comm)), structure_(std::move(structure)), options_(options), block_size_(block_size) {
    comm_->together([&] {
      parts_ = other_parts(exec, remote, structure_->remote_rows, halo(), is_two_d(), options_.spmv);
      exec.fence("ashlar::distributed_operator: remote columns cut");
    });
    if (comm_->is_alone()) return;
    if (std::is_same_v<Wide, Narrow> || options_.spmv.double_vectors) {
      choose_mode(exchange_for<Wide>(exec, options_.spmv.num_vectors).exchange);
    } else {
      choose_mode(exchange_for<Narrow>(exec, options_.spmv.num_vectors).exchange);
    }
    if (!waits_on_device_ && options_.idle_clock == IdleClock::device) meter_.measure_by_device();
  }

  /// Starts the exchange of x; without overlap, also waits for it. Returns its buffers.
  template <class X>
  auto& begin(const Exec& exec, const X& x) {
    auto& buffers = buffers_for(exec, x);
    buffers.exchange.begin(exec, x);
    if (!options_.overlap) meter_.during(exec, [&] { buffers.exchange.end(exec); });
    return buffers;
  }

  /// y := y + the product with the halo of begin().
  template <class Buffers, class Y>
  void add(const Exec& exec, Buffers& buffers, const Y& y) {
    if (!holds_products()) {
      if (options_.overlap) meter_.during(exec, [&] { buffers.exchange.end(exec); });
      for (const auto& part : parts_) buffers.multiply_add(exec, part, y);
      return;
    }
    const auto next_arrived = [&] {
      int next = -1;
      meter_.during(exec, [&] { next = buffers.exchange.next_arrived(exec); });
      return next;
    };
    for (int k = next_arrived(); k >= 0; k = next_arrived()) {
      buffers.template multiply<Y::rank()>(exec, parts_[std::size_t(k)]);
    }
    for (const auto& part : parts_) buffers.add(exec, part, y);
  }

  /// The same with the last halo, without messages.
  template <class X, class Y>
  void add_again(const Exec& exec, const X& x, const Y& y) {
    auto& buffers = buffers_for(exec, x);
    if (!holds_products()) {
      for (const auto& part : parts_) buffers.multiply_add(exec, part, y);
      return;
    }
    for (const auto& part : parts_) buffers.template multiply<Y::rank()>(exec, part);
    for (const auto& part : parts_) buffers.add(exec, part, y);
  }

  const HaloPlan& halo() const { return structure_->halo; }
  const std::vector<OtherPart<Matrix>>& parts() const { return parts_; }
  /// How the halo is exchanged: never automatic.
  ExchangeMode mode() const { return mode_; }
  const std::string& why_mode() const { return why_mode_; }
  bool waits_on_device() const { return waits_on_device_; }

  HaloFigures figures() const { return sum_of(wide_.figures(), narrow_.figures()); }
  double idle_seconds() const { return meter_.seconds(figures().waited_seconds); }
  void check() const {
    wide_.check();
    narrow_.check();
  }

  std::int64_t num_blocks() const {
    std::int64_t count = 0;
    for (const auto& part : parts_) count += part.matrix.num_blocks();
    return count;
  }
  std::int64_t traffic_bytes() const {
    const std::int64_t entry = vector_scalar_bytes_of<Value> * block_size_;
    std::int64_t bytes = 0, sent = 0;
    for (const auto& part : parts_) {
      const auto rows = static_cast<std::int64_t>(part.rows.extent(0));
      bytes += spmv_traffic_bytes(part.matrix, holds_products()) +
               rows * std::int64_t(sizeof(typename Matrix::ordinal_type));
      // Products that were held are read again and added.
      if (holds_products()) bytes += 3 * rows * entry;
    }
    for (const auto& to : halo().to()) sent += to.count;
    return bytes + 2 * (sent + halo().num_entries()) * entry;
  }
  HeldBytes bytes() const {
    HeldBytes bytes = wide_.bytes() + narrow_.bytes();
    bytes.device += structure_->halo_columns.size() * sizeof(std::int64_t);
    for (const auto& part : parts_) {
      bytes = bytes + held_bytes(part.matrix) + held_bytes(part.plan) +
              HeldBytes{part.rows.extent(0) * sizeof(typename Matrix::ordinal_type), 0};
    }
    return bytes;
  }

  /// "..., 1d, the halo under the product with local columns: ..."
  std::string explain_plan(std::int64_t num_local_blocks) const {
    std::int64_t rows = 0;
    for (const auto& part : parts_) rows += static_cast<std::int64_t>(part.rows.extent(0));
    return text(", ", to_string(options_.decomposition), ", the halo ",
                options_.overlap ? "under the product with local columns" : "before the products", ": ",
                count_text(num_local_blocks, "block"), " in local columns, ", num_blocks(), " in ",
                count_text(rows, "row"), " of ", count_text(std::ssize(parts_), "part"), " in remote columns");
  }
  std::string explain() const {
    return text(parts_.empty() ? "" : "; remote: ", parts_.empty() ? "" : parts_.front().plan.explain(),
                "; halo planned: ", halo().explain(), wide_.explain(), narrow_.explain());
  }

 private:
  bool is_two_d() const { return options_.decomposition == Decomposition::two_d; }
  bool holds_products() const { return options_.overlap && is_two_d(); }

  template <class Exchange>
  void choose_mode(const Exchange& exchange) {
    mode_ = wanted_mode_ = exchange.mode();
    why_mode_ = exchange.why_mode();
    waits_on_device_ = exchange.is_stream_ordered();
  }

  template <class X>
  auto& buffers_for(const Exec& exec, const X& x) {
    return exchange_for<typename X::non_const_value_type>(exec, X::rank() == 1 ? 1 : static_cast<int>(x.extent(1)));
  }

  template <class Scalar>
  VectorExchange<Scalar, Matrix, Exec>& exchange_for(const Exec& exec, int num_vectors) {
    if constexpr (std::is_same_v<Scalar, Wide>) {
      return wide_.of(exec, *comm_, halo(), block_size_, num_vectors, wanted_mode(), parts_, holds_products());
    } else {
      static_assert(std::is_same_v<Scalar, Narrow>,
                    "ashlar::DistributedOperator: x must hold the matrix's scalar type, or double where that is "
                    "float or bfloat16");
      return narrow_.of(exec, *comm_, halo(), block_size_, num_vectors, wanted_mode(), parts_, holds_products());
    }
  }
  /// Once an exchange is made, others take its mode.
  ExchangeMode wanted_mode() const { return wanted_mode_; }

  std::shared_ptr<const Communicator> comm_;
  std::shared_ptr<const MatrixStructure<Matrix>> structure_;
  DistributedOptions options_;
  int block_size_;
  ExchangeMode mode_ = ExchangeMode::blocking, wanted_mode_ = options_.exchange;
  std::string why_mode_ = "one rank alone";
  bool waits_on_device_ = false;
  std::vector<OtherPart<Matrix>> parts_;
  IdleMeter<Exec> meter_;
  VectorExchanges<Wide, Matrix, Exec> wide_;
  VectorExchanges<Narrow, Matrix, Exec> narrow_;  // unused if the types are equal
};

}  // namespace ashlar::impl
