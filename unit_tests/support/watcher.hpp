#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar::testing {

/// What Kokkos told the watcher of one event.
struct Happening {
  enum class Kind { kernel, region, allocation, copy, fence };

  Kind kind;
  std::string label;        // of a copy: where it goes
  std::string source = {};  // of a copy: where it comes from
  std::string space = {};   // of an allocation, and where a copy goes
  std::string source_space = {};
  std::uint32_t device_id = 0;  // of kernels and fences
  std::uint64_t bytes = 0;      // of allocations and copies
  bool in_copy = false;         // a kernel that does a deep copy's work
};

/// Takes down all that Kokkos Tools tells of, from its construction to its destruction. One at a time; one host thread.
///
/// Kokkos fences before it tells of a kernel; those fences are the watching's, not of what is watched, and are left
/// out.
class Watcher {
 public:
  using Kind = Happening::Kind;

  Watcher() : before_(Kokkos::Tools::Experimental::get_callbacks()) {
    if (active_ != nullptr) Kokkos::abort("two Watchers at a time");
    active_ = this;
    namespace tools = Kokkos::Tools::Experimental;
    tools::set_begin_parallel_for_callback(on_kernel);
    tools::set_begin_parallel_reduce_callback(on_kernel);
    tools::set_begin_parallel_scan_callback(on_kernel);
    tools::set_push_region_callback([](const char* label) { active_->add({.kind = Kind::region, .label = label}); });
    tools::set_allocate_data_callback(
        [](Kokkos::Tools::SpaceHandle space, const char* label, const void*, std::uint64_t bytes) {
          // CUDA's team policies ask for no bytes of global scratch memory at each launch: that is no allocation.
          if (bytes == 0) return;
          active_->add({.kind = Kind::allocation, .label = label, .space = space.name, .bytes = bytes});
        });
    tools::set_begin_deep_copy_callback([](Kokkos::Tools::SpaceHandle to, const char* to_label, const void*,
                                           Kokkos::Tools::SpaceHandle from, const char* from_label, const void*,
                                           std::uint64_t bytes) {
      active_->add({.kind = Kind::copy,
                    .label = to_label,
                    .source = from_label,
                    .space = to.name,
                    .source_space = from.name,
                    .bytes = bytes});
      ++active_->open_copies_;
    });
    tools::set_end_deep_copy_callback([] { --active_->open_copies_; });
    tools::set_begin_fence_callback([](const char* label, std::uint32_t device_id, std::uint64_t*) {
      if (std::string_view(label).find("Profile Tool Fence") != std::string_view::npos) return;
      active_->add({.kind = Kind::fence, .label = label, .device_id = device_id});
    });
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  ~Watcher() {
    Kokkos::Tools::Experimental::set_callbacks(before_);
    active_ = nullptr;
  }

  const std::vector<Happening>& seen() const { return seen_; }
  void clear() { seen_.clear(); }

 private:
  static void on_kernel(const char* label, std::uint32_t device_id, std::uint64_t* id) {
    *id = 0;
    active_->add({.kind = Kind::kernel, .label = label, .device_id = device_id, .in_copy = active_->open_copies_ > 0});
  }

  void add(Happening happening) { seen_.push_back(std::move(happening)); }

  inline static Watcher* active_ = nullptr;
  Kokkos::Tools::Experimental::EventSet before_;
  int open_copies_ = 0;
  std::vector<Happening> seen_;
};

/// What the watched code may do beside running kernels on its instance.
///
/// Kokkos itself fences where memory is allocated or freed; who allocates has to live with that.
enum class Promise {
  enqueues,   ///< no fence, and no copy from one memory space to another
  sends,      ///< no fence; copies from one memory space to another
  allocates,  ///< the same, save for Kokkos' own fences around allocations
  waits,      ///< fences of its own instance, too
  on_host,    ///< and kernels on the host's default instance, where that is another backend than the caller's
};

namespace impl {

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// A label that says that it is the library's or the test's. Kokkos' own name whose work they do in brackets. A kernel
/// without a label gets the name of its functor's type, which may begin as a label does, but not go on like one.
inline bool is_ours(std::string_view label) {
  if (label.starts_with("Kokkos::")) return contains(label, "[ashlar::") || contains(label, "[test::");
  const std::string_view method = label.substr(0, label.find('['));
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789_:. ";
  return (label.starts_with("ashlar::") || label.starts_with("test::")) &&
         method.find_first_not_of(allowed) == std::string_view::npos;
}

/// What the instances of Kokkos' backends keep for themselves, allocated when they first need it.
inline bool is_instance_memory(std::string_view label) {
  return label.starts_with("Kokkos::") && contains(label, "cratch");
}

/// One end of a copy at least has to say whose it is; the other may be a number, or memory that is no view's own.
inline bool is_copy_of_ours(const Happening& copy) { return is_ours(copy.label) || is_ours(copy.source); }

inline bool is_number(std::string_view label) { return label == "Scalar" || label == "(none)"; }

/// The fences that Kokkos makes before it frees memory and around stream-ordered allocations.
inline bool is_memory_fence(std::string_view label) {
  return contains(label, "Space::impl_allocate") || contains(label, "Space::impl_deallocate") ||
         contains(label, "SharedAllocationRecord") || contains(label, "backend fence after async malloc") ||
         contains(label, "backend fence before async free") || contains(label, "backend fence after async free");
}

/// A fence of all instances of a backend: the two device ids that stand for no instance.
inline bool is_global_fence(std::uint32_t device_id) {
  using namespace Kokkos::Tools::Experimental;
  constexpr std::uint32_t instance_bits = (1u << num_instance_bits) - 1;
  const std::uint32_t instance = device_id & instance_bits;
  return instance == int_for_synchronization_reason(GlobalDeviceSynchronization) ||
         instance == (int_for_synchronization_reason(DeepCopyResourceSynchronization) & instance_bits);
}

}  // namespace impl

/// What in `seen` breaks the library's promises, a sentence each; empty where all is well.
///
/// - kernels and fences are on `exec`, and no fence is a global one;
/// - every kernel, region, allocation and copy says whose it is;
/// - what `promise` says.
template <class Exec>
std::vector<std::string> faults(const std::vector<Happening>& seen, const Exec& exec, Promise promise) {
  using Kind = Happening::Kind;
  using namespace Kokkos::Tools::Experimental;
  const std::uint32_t id = device_id(exec);
  const bool is_host = std::is_same_v<Exec, Kokkos::DefaultHostExecutionSpace>;
  const std::uint32_t other_host_id =
      promise == Promise::on_host && !is_host ? device_id(Kokkos::DefaultHostExecutionSpace()) : id;
  const auto on_instance = [&](const Happening& h) {
    // Kokkos tells of fences without the number of the device: of the second GPU as of the first.
    const auto is = [&](std::uint32_t instance) {
      if (h.kind != Kind::fence) return h.device_id == instance;
      const ExecutionSpaceIdentifier of = identifier_from_devid(h.device_id), expected = identifier_from_devid(instance);
      return of.type == expected.type && of.instance_id == expected.instance_id;
    };
    return is(id) || is(other_host_id);
  };

  const bool may_wait = promise == Promise::waits || promise == Promise::on_host;

  std::vector<std::string> found;
  const auto fault = [&found](const Happening& h, const std::string& what) {
    found.push_back(what + ": \"" + h.label + "\"" + (h.kind == Kind::copy ? " from \"" + h.source + "\"" : ""));
  };
  for (const Happening& h : seen) {
    switch (h.kind) {
      case Kind::kernel:
        if (!on_instance(h)) fault(h, "kernel on another instance");
        if (!h.in_copy && !impl::is_ours(h.label)) fault(h, "kernel without a label of its own");
        break;
      case Kind::region:
        if (!impl::is_ours(h.label)) fault(h, "region without a label of its own");
        break;
      case Kind::allocation:
        if (!impl::is_ours(h.label) && !impl::is_instance_memory(h.label)) {
          fault(h, "allocation without a label of its own");
        }
        break;
      case Kind::copy:
        if (!impl::is_copy_of_ours(h)) fault(h, "copy without a label of its own");
        if (!may_wait && promise != Promise::sends && h.space != h.source_space && !impl::is_number(h.source)) {
          fault(h, "copy between memory spaces");
        }
        break;
      case Kind::fence:
        if (promise != Promise::enqueues && promise != Promise::sends && impl::is_memory_fence(h.label)) break;
        if (impl::is_global_fence(h.device_id)) {
          fault(h, "global fence");
        } else if (!may_wait) {
          fault(h, "fence");
        } else if (!on_instance(h)) {
          fault(h, "fence of another instance");
        }
        break;
    }
  }
  return found;
}

/// The labels of all events of this kind.
inline std::vector<std::string> labels(const std::vector<Happening>& seen, Happening::Kind kind) {
  std::vector<std::string> result;
  for (const Happening& h : seen) {
    if (h.kind == kind) result.push_back(h.label);
  }
  return result;
}

inline std::vector<std::string> kernels(const Watcher& w) { return labels(w.seen(), Happening::Kind::kernel); }
inline std::vector<std::string> allocations(const Watcher& w) { return labels(w.seen(), Happening::Kind::allocation); }
inline std::vector<std::string> fences(const Watcher& w) { return labels(w.seen(), Happening::Kind::fence); }

/// An instance that is not the default one.
inline Kokkos::DefaultExecutionSpace other_instance() {
  return Kokkos::Experimental::partition_space(Kokkos::DefaultExecutionSpace(), 1, 1)[1];
}

}  // namespace ashlar::testing
