#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/base/held_bytes.hpp>
#include <ashlar/halo/halo_figures.hpp>
#include <cstddef>
#include <string>

namespace ashlar::impl {

/// Most exchanges on their way at a time; and slots of buffers: those two, and one that is read while the second of
/// them arrives.
inline constexpr int max_exchanges_in_flight = 2, num_exchange_slots = max_exchanges_in_flight + 1;

/// One way for packed bytes to go to neighbour ranks and to come from them: what an ExchangeMode does.
/// NeighbourExchange is its one user, and keeps the order: open, start, then begin_landing, wait_for_any or
/// wait_for_all, finish_landing, all of one slot; two slots may have been started and not landed.
///
/// What is "enqueued" is so on `exec`.
template <execution_space Exec>
class ExchangeWay {
 public:
  virtual ~ExchangeWay() = default;
  ExchangeWay() = default;
  ExchangeWay(const ExchangeWay&) = delete;
  ExchangeWay& operator=(const ExchangeWay&) = delete;

  /// Makes the slot's buffers free for what is enqueued from here on, and lets others send to it. Returns where to
  /// pack.
  virtual std::byte* open(const Exec& exec, int slot) = 0;
  /// Where messages leave from, of the slot opened last.
  virtual std::byte* outgoing(int slot) = 0;
  /// Sends what has been packed by what is enqueued so far.
  virtual void start(const Exec& exec, int slot) = 0;

  /// What was received in `previous`, the slot that landed before, is read by nothing but what is enqueued so far.
  virtual void begin_landing(const Exec& exec, int previous) = 0;
  /// A neighbour, by place in the list, whose bytes are readable by what is enqueued from here on: each once; -1 where
  /// all have been.
  virtual int wait_for_any(const Exec& exec, int slot) = 0;
  virtual void wait_for_all(const Exec& exec, int slot) = 0;
  virtual void finish_landing(const Exec& exec, int slot) = 0;
  /// Where what landed is.
  virtual const std::byte* received(int slot) const = 0;

  /// Until what was sent has gone, so that buffers may be freed: where all exchanges have ended. Says nothing of
  /// errors.
  virtual void wait_for_sends() noexcept = 0;
  /// Until the device reads none of the buffers.
  virtual void wait_for_device() noexcept = 0;

  /// Throws CommError where the device has waited for another rank in vain.
  virtual void check() const {}

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
