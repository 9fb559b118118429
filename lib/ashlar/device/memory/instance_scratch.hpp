#pragma once

#include <Kokkos_Core.hpp>
#include <any>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/runtime/impl/gpu_runtime.hpp>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// A key that identifies an execution-space instance and is compared with ==. The key of a GPU instance is its stream:
/// all wrappers of a stream have the same key, and the key does not keep the stream alive.
template <class Exec>
auto instance_key(const Exec& exec) {
  return exec;
}

#ifdef ASHLAR_HAS_GPU_RUNTIME
inline auto instance_key(const gpu::Exec& exec) { return std::pair(gpu::device_of(exec), gpu::stream_of(exec)); }
#endif

}  // namespace ashlar::impl

namespace ashlar {

/// Scratch memory of an object that several execution-space instances use simultaneously: one piece per instance.
///
/// An instance gets its piece when it first asks, and keeps it: its enqueued work uses the piece in order. Copies share
/// the pieces.
///
/// Memory   the given number of bytes of Space for each instance that has asked, until the last copy is gone.
/// Async    of() allocates on `exec` at the first request, and may wait for it then; later it neither allocates nor
///          waits. Several threads may call it simultaneously.
template <class Space>
class InstanceScratch {
 public:
  /// Of no bytes.
  InstanceScratch() = default;
  InstanceScratch(std::string label, std::size_t num_bytes)
      : pieces_(std::make_shared<Pieces>(std::move(label), num_bytes)) {}

  /// The piece of `exec`; null where pieces have no bytes.
  template <execution_space Exec>
  char* of(const Exec& exec) const {
    static_assert(reachable_from<Exec, View>,
                  "ashlar::InstanceScratch: the memory must be reachable from the execution space");
    return pieces_ ? pieces_->of(exec) : nullptr;
  }

  /// Of instances that have asked.
  std::size_t num_pieces() const { return pieces_ ? pieces_->size() : 0; }

 private:
  using View = Kokkos::View<char*, Space>;

  class Pieces {
   public:
    Pieces(std::string label, std::size_t num_bytes) : label_(std::move(label)), num_bytes_(num_bytes) {}

    template <class Exec>
    char* of(const Exec& exec) {
      // First: a Kokkos without threads counts the copies of an instance without atomics.
      const std::lock_guard lock(mutex_);
      const auto key = impl::instance_key(exec);
      for (const auto& [owner, memory] : pieces_) {
        const auto* const other = std::any_cast<std::decay_t<decltype(key)>>(&owner);
        if (other != nullptr && *other == key) return memory.data();
      }
      const View memory(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label_), num_bytes_);
      pieces_.emplace_back(key, memory);
      return memory.data();
    }

    std::size_t size() {
      const std::lock_guard lock(mutex_);
      return pieces_.size();
    }

   private:
    const std::string label_;
    const std::size_t num_bytes_;
    std::mutex mutex_;
    std::vector<std::pair<std::any, View>> pieces_;  // by owner: few, so that looking through them is fast
  };

  std::shared_ptr<Pieces> pieces_;
};

}  // namespace ashlar
