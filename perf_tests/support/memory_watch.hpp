#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <support/types.hpp>

namespace ashlar::perf {

/// Counts what Kokkos allocates in the device's memory, from its construction to its destruction. One at a time.
class MemoryWatch {
 public:
  MemoryWatch() : before_(Kokkos::Tools::Experimental::get_callbacks()) {
    now_ = peak_ = 0;
    namespace tools = Kokkos::Tools::Experimental;
    tools::set_allocate_data_callback(
        [](Kokkos::Tools::SpaceHandle space, const char*, const void* data, std::uint64_t bytes) {
          if (std::string(space.name) != Space::name()) return;
          bytes_of_[data] = bytes;
          peak_ = std::max(peak_, now_ += bytes);
        });
    tools::set_deallocate_data_callback([](Kokkos::Tools::SpaceHandle, const char*, const void* data, std::uint64_t) {
      const auto found = bytes_of_.find(data);
      if (found == bytes_of_.end()) return;
      now_ -= found->second;
      bytes_of_.erase(found);
    });
  }
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;
  ~MemoryWatch() {
    Kokkos::Tools::Experimental::set_callbacks(before_);
    bytes_of_.clear();
  }

  /// The most bytes that were allocated at a time.
  std::uint64_t peak() const { return peak_; }

 private:
  inline static std::uint64_t now_ = 0, peak_ = 0;
  inline static std::map<const void*, std::uint64_t> bytes_of_;
  Kokkos::Tools::Experimental::EventSet before_;
};

}  // namespace ashlar::perf
