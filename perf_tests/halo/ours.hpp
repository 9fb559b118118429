#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/device/graphs/captured_work.hpp>
#include <ashlar/halo/halo_exchange.hpp>
#include <ashlar/halo/neighbour_exchange.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <cstdint>
#include <halo/messages.hpp>
#include <optional>
#include <string>
#include <support/types.hpp>
#include <utility>
#include <vector>

namespace ashlar::perf {

/// An exchange of the library.
class OurExchange {
 public:
  virtual ~OurExchange() = default;

  virtual void begin() = 0;
  virtual void end() = 0;
  /// Both, and so many exchanges.
  virtual void run() {
    begin();
    end();
  }
  virtual int exchanges_of_run() const { return 1; }
  /// Makes an exchange; how many bytes, or entries, are not what they are in that round.
  virtual std::int64_t num_wrong(int round) = 0;

  virtual ExchangeMode mode() const = 0;
  virtual std::string why_mode() const = 0;
  virtual std::string explain() const = 0;
};

/// Of bytes that have been packed.
class ExchangeOfBytes final : public OurExchange {
 public:
  ExchangeOfBytes(const Exec& exec, const Communicator& comm, RankMessages messages, const ExchangeOptions& options)
      : exec_(exec), messages_(std::move(messages)), exchange_(exec, comm, messages_.to, messages_.from, options) {}

  void begin() override {
    exchange_.open(exec_);
    exchange_.start(exec_);
  }
  void end() override { exchange_.finish(exec_); }
  std::int64_t num_wrong(int round) override {
    fill_messages(exec_, messages_, round, exchange_.open(exec_));
    exchange_.start(exec_);
    end();
    return num_wrong_bytes(exec_, messages_, round, exchange_.received());
  }

  ExchangeMode mode() const override { return exchange_.mode(); }
  std::string why_mode() const override { return exchange_.why_mode(); }
  std::string explain() const override { return exchange_.explain(); }

 private:
  Exec exec_;
  RankMessages messages_;
  NeighbourExchange<Exec> exchange_;
};

/// Of a vector of doubles, whose entries are packed.
class ExchangeOfVector final : public OurExchange {
 public:
  enum class Form {
    begin_and_end,
    at_once,
    replayed,  ///< many at once, captured
  };

  /// Messages of whole doubles.
  ExchangeOfVector(const Exec& exec, const Communicator& comm, const RankMessages& messages,
                   const ExchangeOptions& options, Form form)
      : exec_(exec),
        rank_(comm.rank()),
        entries_(messages.to[0].count / std::int64_t(sizeof(double))),
        form_(form),
        x_("perf::x", entries_),
        exchange_(exec, comm, plan(comm, messages, options.packet_bytes), 1, 1, options.mode) {
    if (form != Form::replayed) return;
    exchange_.exchange(exec_, x_);
    work_.emplace(exec_, [this] {
      for (int k = 0; k < exchanges_of_replay; ++k) exchange_.exchange(exec_, x_);
    });
  }

  void begin() override { exchange_.begin(exec_, x_); }
  void end() override { exchange_.end(exec_); }
  void run() override {
    if (form_ == Form::begin_and_end) {
      OurExchange::run();
    } else if (form_ == Form::at_once) {
      exchange_.exchange(exec_, x_);
    } else {
      work_->replay(exec_);
    }
  }
  int exchanges_of_run() const override { return form_ == Form::replayed ? exchanges_of_replay : 1; }
  std::int64_t num_wrong(int round) override {
    fill(round);
    run();
    return num_wrong_entries(round);
  }

  ExchangeMode mode() const override { return exchange_.mode(); }
  std::string why_mode() const override { return exchange_.why_mode(); }
  std::string explain() const override { return exchange_.explain(); }

 private:
  static constexpr int exchanges_of_replay = 30;

  HaloPlan plan(const Communicator& comm, const RankMessages& messages,
                std::optional<std::int64_t> packet_bytes) const {
    std::vector<std::int64_t> needed;
    for (const NeighbourMessage& message : messages.from) {
      for (std::int64_t i = 0; i < entries_; ++i) needed.push_back(message.rank * entries_ + i);
    }
    return {comm,
            RowPartition::even(entries_ * comm.size(), comm.size()),
            needed,
            {.form = HaloForm::packed, .packet_bytes = packet_bytes}};
  }

 public:  // (nvcc wants it so of functions with kernels)
  KOKKOS_INLINE_FUNCTION static double value(std::int64_t rank, std::int64_t i, int round) {
    return static_cast<double>(rank) + 0.125 * round + 64.0 * static_cast<double>(i);
  }
  void fill(int round) const {
    const auto x = x_;
    const int rank = rank_;
    Kokkos::parallel_for(
        "perf::fill", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec_, 0, entries_),
        KOKKOS_LAMBDA(std::int64_t i) { x(i) = value(rank, i, round); });
  }
  std::int64_t num_wrong_entries(int round) const {
    const auto halo = exchange_.halo();
    std::int64_t wrong = 0;
    for (const HaloPlan::Neighbour& from : exchange_.plan().from()) {
      const std::int64_t begin = from.begin, rank = from.rank;
      std::int64_t here = 0;
      Kokkos::parallel_reduce(
          "perf::check", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec_, 0, from.count),
          KOKKOS_LAMBDA(std::int64_t i, std::int64_t & count) {
            if (halo(begin + i) != value(rank, i, round)) ++count;
          },
          here);
      exec_.fence("perf::check");
      wrong += here;
    }
    return wrong;
  }

 private:
  Exec exec_;
  int rank_;
  std::int64_t entries_;
  Form form_;
  Vector<double> x_;
  HaloExchange<double, Exec> exchange_;
  std::optional<CapturedWork<Exec>> work_;
};

}  // namespace ashlar::perf
