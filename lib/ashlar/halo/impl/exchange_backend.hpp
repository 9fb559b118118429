#pragma once

#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/halo/halo_figures.hpp>
#include <cstddef>
#include <string>

namespace ashlar::impl {

/// Most exchanges in flight, and slots of buffers: one for each exchange in flight, and one that is read meanwhile.
inline constexpr int max_exchanges_in_flight = 2, num_exchange_slots = max_exchanges_in_flight + 1;

template <execution_space Exec>
class KernelBackend;

/// Carries packed bytes to neighbour ranks and back, in one ExchangeMode. make_exchange_backend() makes it.
///
/// NeighbourExchange is its only user and keeps this order: open, start, begin_arrival, then wait_for_any or
/// wait_for_all, finish_arrival, each with the slot of the exchange. Two slots may have been started and not have
/// arrived. "Enqueued" means on `exec`.
template <execution_space Exec>
class ExchangeBackend {
 public:
  virtual ~ExchangeBackend() = default;
  ExchangeBackend() = default;
  ExchangeBackend(const ExchangeBackend&) = delete;
  ExchangeBackend& operator=(const ExchangeBackend&) = delete;

  /// Makes the slot's buffers free for what is enqueued from here on, and lets others send to it. Returns where to
  /// pack.
  virtual std::byte* open(const Exec& exec, int slot) = 0;
  /// Where messages leave from, of the slot opened last.
  virtual std::byte* outgoing(int slot) = 0;
  /// Sends what has been packed by what is enqueued so far.
  virtual void start(const Exec& exec, int slot) = 0;

  /// The bytes in `previous`, the slot that arrived before, are read by nothing but work enqueued so far.
  virtual void begin_arrival(const Exec& exec, int previous) = 0;
  /// Returns a neighbour, by place in the list, whose bytes work enqueued from here on may read. Each comes once; -1
  /// after the last.
  virtual int wait_for_any(const Exec& exec, int slot) = 0;
  virtual void wait_for_all(const Exec& exec, int slot) = 0;
  virtual void finish_arrival(const Exec& exec, int slot) = 0;
  /// The bytes received in a slot.
  virtual const std::byte* received(int slot) const = 0;

  /// Waits until all messages are sent, so that buffers may be freed. All exchanges have ended. Reports no errors.
  virtual void wait_for_sends() noexcept = 0;
  /// Waits until the device reads none of the buffers.
  virtual void wait_for_device() noexcept = 0;

  /// Throws CommError if the device has waited for another rank in vain.
  virtual void check() const {}

  /// This backend, if kernels of the caller's may send and take messages themselves; null in other modes.
  virtual KernelBackend<Exec>* for_kernels() { return nullptr; }

  virtual bool is_stream_ordered() const = 0;
  virtual bool is_staged() const = 0;
  virtual const HaloCount& sent() const = 0;
  virtual const HaloCount& received_messages() const = 0;
  virtual double waited_seconds() const = 0;
  /// How, and why so: "staged through pinned memory (...)"
  virtual std::string explain() const = 0;
  virtual HeldBytes bytes() const = 0;
};

}  // namespace ashlar::impl
