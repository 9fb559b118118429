#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/version.hpp>
#include <ashlar/device/probes/device_properties.hpp>
#include <ashlar/host/text_file.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace ashlar::perf {

/// The "context" of a result file: what was measured, on what, with what.
inline nlohmann::json context(const std::string& commit) {
  const Kokkos::DefaultExecutionSpace exec;
  nlohmann::json result{{"ashlar", version_string},
                        {"commit", commit},
                        {"kokkos", KOKKOS_VERSION},
                        {"execution_space", exec.name()},
                        {"concurrency", exec.concurrency()}};
#if defined(__clang__)
  result["compiler"] = "clang " __clang_version__;
#elif defined(__GNUC__)
  result["compiler"] = "gcc " __VERSION__;
#endif
  result["device"] = device_name(exec);
#if defined(KOKKOS_ENABLE_CUDA)
  result["cuda"] = CUDART_VERSION;
#endif
  return result;
}

/// Writes a result file; the read bandwidth is part of its context, and what was left out, if anything was.
inline void write_results(const std::string& path, const std::string& commit, double read_gb_s,
                          const nlohmann::json& results, const nlohmann::json& left_out = nlohmann::json::array()) {
  nlohmann::json file{{"context", context(commit)}, {"results", results}};
  file["context"]["read_gb_s"] = read_gb_s;
  if (!left_out.empty()) file["context"]["left_out"] = left_out;
  write_text_file(path, file.dump(1) + "\n");
}

}  // namespace ashlar::perf
