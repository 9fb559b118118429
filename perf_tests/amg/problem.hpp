#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <amg/peers/peers.hpp>
#include <array>
#include <ashlar/amg/near_null_space.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/csr.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/bcsr/to_csr.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <support/types.hpp>
#include <utility>
#include <vector>

namespace ashlar::perf {

/// A cantilever by its name: "33", "81x21x21", "33:0.45", or "33:0.3:1000" if the middle third of its elements in z is
/// 1000 times as stiff.
struct NamedCantilever {
  problems::Cantilever problem;
  double stiff_layer = 1;

  explicit NamedCantilever(const std::string& name) {
    const char* at = name.c_str();
    char* end = nullptr;
    int sides = 0;
    for (; sides < 3; at = end + 1) {
      problem.nodes[sides++] = static_cast<int>(std::strtol(at, &end, 10));
      if (*end != 'x') break;
    }
    if (sides == 1) problem.nodes[1] = problem.nodes[2] = problem.nodes[0];
    const bool has_ratio = *end == ':' && end[1] != ':';
    if (has_ratio) problem.poissons_ratio = std::strtod(end + 1, &end);
    if (has_ratio && *end == ':') stiff_layer = std::strtod(end + 1, &end);
    const bool has_layer = stiff_layer == 1 || (stiff_layer > 1 && problem.nodes[2] != 3);
    if (*end != 0 || sides == 2 || !has_layer) {
      throw ArgumentError(
          text("perf_amg: case '", name, "'"),
          "it is N or NXxNYxNZ, and perhaps :NU or :NU:FACTOR with a factor of at least 1 and not 3 nodes in z",
          "write for example 33, 81x21x21, 33:0.45 or 33:0.3:1000");
    }
  }

  /// The layer as a body of its own, whose matrix is to be added; and the number of elements below it.
  std::pair<problems::Cantilever, int> layer() const {
    const std::array<int, 3> nodes = problem.nodes;
    const int elements = nodes[2] - 1, first = (elements + 1) / 3, last = (2 * elements - 2) / 3;
    const double edge = 1.0 / elements;
    problems::Cantilever result = problem;
    result.nodes[2] = last - first + 2;
    result.lengths = {(nodes[0] - 1) * edge, (nodes[1] - 1) * edge, (result.nodes[2] - 1) * edge};
    result.youngs_modulus = stiff_layer - 1;
    return {result, first};
  }
};

/// The entries of a view.
inline std::vector<double> on_host(const Kokkos::View<double*>& view) {
  const auto copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return std::vector<double>(copy.data(), copy.data() + copy.extent(0));
}

/// Its system and the coordinates of its nodes, on the device.
struct AmgProblem {
  std::string name;
  Matrix a;
  Kokkos::View<double*> load, coordinates;

  AmgProblem(const Exec& exec, const std::string& asked) : name(asked) {
    const NamedCantilever named(asked);
    a = problems::cantilever_matrix<Matrix>(exec, named.problem);
    load = problems::cantilever_load<double>(exec, named.problem);
    const std::vector<double> points = problems::hex_points(problems::cantilever_grid(named.problem));
    coordinates = Kokkos::View<double*>("perf::coordinates", points.size());
    using Here = Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(exec, coordinates, Here(points.data(), points.size()));
    exec.fence("perf_amg: the problem");
    if (named.stiff_layer > 1) add_layer(exec, named);
  }

  auto make_modes(const Exec& exec) const { return amg::rigid_body_modes<Exec::memory_space>(exec, coordinates, 3, 3); }

  /// The system for other libraries. Throws ShapeError if 32 bits do not count the entries.
  HostSystem on_host(const Exec& exec) const {
    CsrMatrix<double> csr = to_csr(exec, a);
    if (csr.num_values() > std::numeric_limits<int>::max()) {
      throw ShapeError(text("perf_amg: case '", name, "' has ", csr.num_values(), " entries"),
                       "other libraries count them with 32 bits", "take a smaller case, or --libraries ashlar");
    }
    return {std::vector<int>(csr.row_ptr.begin(), csr.row_ptr.end()), std::move(csr.col_idx), std::move(csr.values),
            perf::on_host(load), perf::on_host(coordinates)};
  }

 private:
  void add_layer(const Exec& exec, const NamedCantilever& named) {
    const auto [problem, below] = named.layer();
    const auto layer = copy_to<Kokkos::HostSpace>(exec, problems::cantilever_matrix<Matrix>(exec, problem));
    const auto whole = copy_to<Kokkos::HostSpace>(exec, a);
    exec.fence("perf_amg: the matrices on the host");
    const int height = named.problem.nodes[2], height_of_layer = problem.nodes[2];
    const auto node = [&, first = below](int of_layer) {
      return of_layer / height_of_layer * height + of_layer % height_of_layer + first;
    };
    const auto rows = layer.graph().row_ptr(), rows_of_whole = whole.graph().row_ptr();
    const int* const columns = whole.graph().col_idx().data();
    for (int i = 0; i < static_cast<int>(layer.num_block_rows()); ++i) {
      for (int k = rows(i); k < rows(i + 1); ++k) {
        const int* const place = std::lower_bound(
            columns + rows_of_whole(node(i)), columns + rows_of_whole(node(i) + 1), node(layer.graph().col_idx()(k)));
        for (int v = 0; v < 9; ++v)
          whole.values()((place - columns) * 9 + v) += layer.values()(std::int64_t(k) * 9 + v);
      }
    }
    Kokkos::deep_copy(exec, a.values(), whole.values());
    exec.fence("perf_amg: the layer is added");
  }
};

}  // namespace ashlar::perf
