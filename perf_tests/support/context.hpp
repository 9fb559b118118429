#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/version.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace ashlar::perf {

/// The "context" of a result file: what was measured, on what, with what.
inline nlohmann::json context(const std::string& commit) {
  using Exec = Kokkos::DefaultExecutionSpace;
  nlohmann::json result{{"ashlar", version_string},
                        {"commit", commit},
                        {"kokkos", KOKKOS_VERSION},
                        {"execution_space", Exec::name()},
                        {"concurrency", Exec().concurrency()}};
#if defined(__clang__)
  result["compiler"] = "clang " __clang_version__;
#elif defined(__GNUC__)
  result["compiler"] = "gcc " __VERSION__;
#endif
#if defined(KOKKOS_ENABLE_CUDA)
  const cudaDeviceProp properties = Kokkos::Cuda().cuda_device_prop();
  result["device"] = properties.name;
  result["cuda"] = CUDART_VERSION;
#elif defined(KOKKOS_ENABLE_HIP)
  result["device"] = Kokkos::HIP().hip_device_prop().name;
#endif
  return result;
}

}  // namespace ashlar::perf
