#pragma once

#include <Kokkos_Core.hpp>
#include <atomic>
#include <cstdint>
#include <string>

namespace ashlar::testing {

/// Counts the bytes of views on all threads, from its construction to its destruction: of one memory space, or of all.
/// One at a time.
class HeldBytes {
 public:
  /// `space` is its name(); "" counts all.
  explicit HeldBytes(const std::string& space = "") : before_(Kokkos::Tools::Experimental::get_callbacks()) {
    space_ = space;
    now_ = most_ = 0;
    Kokkos::Tools::Experimental::set_allocate_data_callback(
        [](Kokkos::Tools::SpaceHandle where, const char*, const void*, std::uint64_t bytes) {
          if (!counts(where)) return;
          const std::int64_t now = now_ += std::int64_t(bytes);
          std::int64_t most = most_;
          while (most < now && !most_.compare_exchange_weak(most, now)) {
          }
        });
    Kokkos::Tools::Experimental::set_deallocate_data_callback(
        [](Kokkos::Tools::SpaceHandle where, const char*, const void*, std::uint64_t bytes) {
          if (counts(where)) now_ -= std::int64_t(bytes);
        });
  }
  HeldBytes(const HeldBytes&) = delete;
  HeldBytes& operator=(const HeldBytes&) = delete;
  ~HeldBytes() { Kokkos::Tools::Experimental::set_callbacks(before_); }

  std::int64_t most() const { return most_; }
  /// Counts the most from now on.
  void forget_most() const { most_ = now_.load(); }

 private:
  static bool counts(const Kokkos::Tools::SpaceHandle& where) { return space_.empty() || space_ == where.name; }

  inline static std::string space_;
  inline static std::atomic<std::int64_t> now_{0}, most_{0};
  Kokkos::Tools::Experimental::EventSet before_;
};

}  // namespace ashlar::testing
