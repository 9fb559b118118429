#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/amg/near_null_space.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <cstdlib>
#include <string>
#include <support/types.hpp>
#include <vector>

namespace ashlar::perf {

/// A cantilever by its name: "33", "81x21x21", "33:0.45".
inline problems::Cantilever cantilever_of(const std::string& name) {
  problems::Cantilever problem;
  const char* at = name.c_str();
  char* end = nullptr;
  int sides = 0;
  for (; sides < 3; at = end + 1) {
    problem.nodes[sides++] = static_cast<int>(std::strtol(at, &end, 10));
    if (*end != 'x') break;
  }
  if (sides == 1) problem.nodes[1] = problem.nodes[2] = problem.nodes[0];
  if (*end == ':') problem.poissons_ratio = std::strtod(end + 1, &end);
  if (*end != 0 || sides == 2) {
    throw ArgumentError(text("perf_amg: case '", name, "'"), "it is N or NXxNYxNZ, and perhaps :NU",
                        "write for example 33, 81x21x21 or 33:0.45");
  }
  return problem;
}

/// Its system and the coordinates of its nodes, on the device.
struct AmgProblem {
  std::string name;
  Matrix a;
  Kokkos::View<double*> load, coordinates;

  AmgProblem(const Exec& exec, const std::string& asked) : name(asked) {
    const problems::Cantilever problem = cantilever_of(asked);
    a = problems::cantilever_matrix<Matrix>(exec, problem);
    load = problems::cantilever_load<double>(exec, problem);
    const std::vector<double> points = problems::hex_points(problems::cantilever_grid(problem));
    coordinates = Kokkos::View<double*>("perf::coordinates", points.size());
    using Here = Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(exec, coordinates, Here(points.data(), points.size()));
    exec.fence("perf_amg: the problem");
  }

  auto make_modes(const Exec& exec) const { return amg::rigid_body_modes<Exec::memory_space>(exec, coordinates, 3, 3); }
};

}  // namespace ashlar::perf
