#pragma once

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_HIP
#include <hip/hip_runtime.h>

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <iostream>

namespace ashlar::impl {

/// The one place where return codes of the HIP runtime are looked at. Throws Error.
inline void hip_check(hipError_t code, const char* call) {
  if (code == hipSuccess) return;
  throw Error(text(call, " failed with ", hipGetErrorName(code)), hipGetErrorString(code),
              "an earlier kernel may be at fault: run with AMD_SERIALIZE_KERNEL=3 to find it");
}

/// The same for destructors, which do not throw: the message goes to standard error.
inline void hip_report(hipError_t code, const char* call) noexcept {
  if (code == hipSuccess) return;
  std::cerr << "ashlar: " << call << " failed with " << hipGetErrorName(code) << " (" << hipGetErrorString(code)
            << ")\n";
}

}  // namespace ashlar::impl
#endif
