#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/neighbour_exchange.hpp>
#include <ashlar/multigrid/ghost_plan.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ashlar::multigrid::impl {

/// What the owners of boxes send each other: numbers, packed and unpacked as a plan says, in one message for each
/// neighbour rank. A rank without neighbours makes no calls. Copies are one and the same.
template <execution_space Exec, class Real>
class BoxMessages {
 public:
  BoxMessages() = default;
  /// Collective. Messages are counted in units of `unit` numbers.
  BoxMessages(const Exec& exec, const Communicator& comm, const std::vector<GhostMessage>& to,
              const std::vector<GhostMessage>& from, std::int64_t unit, const ExchangeOptions& options)
      : has_neighbours_(!to.empty() || !from.empty()),
        exchange_(
            std::make_shared<NeighbourExchange<Exec>>(exec, comm, in_bytes(to, unit), in_bytes(from, unit), options)) {
    for (const GhostMessage& message : to) sent_.add(message.count * unit * std::int64_t(sizeof(Real)));
  }

  /// pack(Real*) fills the buffer of what is sent, by kernels on `exec`.
  template <class Pack>
  void send(const Exec& exec, const Pack& pack) const {
    if (!has_neighbours_) return;
    pack(reinterpret_cast<Real*>(exchange_->open(exec)));
    exchange_->start(exec);
  }

  /// unpack(const Real*) takes what has come, by kernels on `exec`. Each send() is followed by one.
  template <class Unpack>
  void receive(const Exec& exec, const Unpack& unpack) const {
    if (!has_neighbours_) return;
    exchange_->finish(exec);
    unpack(reinterpret_cast<const Real*>(exchange_->received()));
  }

  bool has_neighbours() const { return has_neighbours_; }
  /// As NeighbourExchange has it.
  bool is_stream_ordered() const { return exchange_ && exchange_->is_stream_ordered(); }
  /// Null where this rank has no neighbours, or kernels do not send and take by themselves.
  NeighbourExchange<Exec>* by_kernels() const {
    return has_neighbours_ && exchange_->has_kernels() ? exchange_.get() : nullptr;
  }

  /// What this rank sends each time.
  const HaloCount& sent() const { return sent_; }

  /// As NeighbourExchange::check().
  void check() const {
    if (exchange_) exchange_->check();
  }

  ExchangeMode mode(ExchangeMode otherwise) const { return exchange_ ? exchange_->mode() : otherwise; }
  /// Why it is this mode; empty where there is no message.
  std::string why_mode() const { return exchange_ ? exchange_->why_mode() : ""; }

 private:
  static std::vector<NeighbourMessage> in_bytes(const std::vector<GhostMessage>& messages, std::int64_t unit) {
    const std::int64_t bytes = unit * std::int64_t(sizeof(Real));
    std::vector<NeighbourMessage> result;
    for (const auto& [rank, begin, count] : messages) result.push_back({rank, begin * bytes, count * bytes});
    return result;
  }

  bool has_neighbours_ = false;
  HaloCount sent_;
  std::shared_ptr<NeighbourExchange<Exec>> exchange_;
};

}  // namespace ashlar::multigrid::impl
