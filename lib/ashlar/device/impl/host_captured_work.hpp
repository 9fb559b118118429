#pragma once

#include <ashlar/base/concepts.hpp>

namespace ashlar::impl {

/// The captured work of a backend that captures none.
///
/// Backends that do specialise this, in a file each.
template <execution_space Exec>
class CapturedWorkHandle {
 public:
  static constexpr bool can_capture = false;
};

}  // namespace ashlar::impl
