#pragma once

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <cuda_runtime_api.h>

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <iostream>

namespace ashlar::impl {

/// The one place where return codes of the CUDA runtime are checked. Throws Error.
inline void cuda_check(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // or the next launch would be told of it
  throw Error(text(call, " failed with ", cudaGetErrorName(code)), cudaGetErrorString(code),
              "an earlier kernel may be at fault: run with compute-sanitizer to find it");
}

/// The same for destructors, which do not throw: the message goes to standard error.
inline void cuda_report(cudaError_t code, const char* call) noexcept {
  if (code == cudaSuccess) return;
  std::cerr << "ashlar: " << call << " failed with " << cudaGetErrorName(code) << " (" << cudaGetErrorString(code)
            << ")\n";
}

}  // namespace ashlar::impl
#endif
