#pragma once

#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <string>
#include <support/types.hpp>
#include <vector>

namespace ashlar::perf {

/// Whole solves are timed so many times: they take longer than those of few iterations.
inline constexpr int solve_samples = 3;

struct CgPerfOptions {
  /// make_system() says what they are.
  std::vector<std::string> cases =
      is_gpu_v<Exec>
          ? std::vector<std::string>{"grid27:80",     "stencil11:128", "stencil11:256", "grid27x3:68",
                                     "cantilever:33", "stencil11:46",  "stencil11:22"}
          : std::vector<std::string>{"grid27:32", "stencil11:46", "grid27x3:20", "cantilever:17", "stencil11:22"};
  std::vector<std::string> forms{"one_by_one",       "graph",     "persistent", "automatic",
                                 "single_reduction", "pipelined", "gmres",      "bicgstab"};
  std::vector<std::string> libraries{"ashlar", "cusparse"};
  int samples = 7;
  /// Of the two solves whose difference is timed; none: by the size of the system.
  std::vector<int> iterations;
  std::string json, commit = "unknown";
};

inline bool is_among(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace ashlar::perf
