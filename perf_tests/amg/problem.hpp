#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <amg/peers/peers.hpp>
#include <array>
#include <ashlar/amg/near_null_space.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/csr.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/bcsr/to_csr.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <cstddef>
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

template <class View>
auto on_host(const View& view) {
  const auto copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return std::vector<typename View::non_const_value_type>(copy.data(), copy.data() + copy.extent(0));
}

/// A matrix in the host's memory.
struct HostMatrix {
  std::vector<int> row_ptr, col_idx;
  std::vector<double> values;

  explicit HostMatrix(const Matrix& a)
      : row_ptr(perf::on_host(a.graph().row_ptr())),
        col_idx(perf::on_host(a.graph().col_idx())),
        values(perf::on_host(a.values())) {}
};

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
  using Here = Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

  void add_layer(const Exec& exec, const NamedCantilever& named) {
    const auto [problem, below] = named.layer();
    const HostMatrix layer(problems::cantilever_matrix<Matrix>(exec, problem));
    HostMatrix whole(a);
    const int height = named.problem.nodes[2], height_of_layer = problem.nodes[2];
    const auto node = [&, first = below](int of_layer) {
      return of_layer / height_of_layer * height + of_layer % height_of_layer + first;
    };
    const auto place = [&](int row, int column) {
      const auto begin = whole.col_idx.begin();
      return std::lower_bound(begin + whole.row_ptr[std::size_t(row)], begin + whole.row_ptr[std::size_t(row) + 1],
                              column) -
             begin;
    };
    for (std::size_t i = 0; i + 1 < layer.row_ptr.size(); ++i) {
      for (auto k = std::size_t(layer.row_ptr[i]); k < std::size_t(layer.row_ptr[i + 1]); ++k) {
        const auto to = std::size_t(place(node(int(i)), node(layer.col_idx[k])));
        for (std::size_t v = 0; v < 9; ++v) whole.values[to * 9 + v] += layer.values[k * 9 + v];
      }
    }
    Kokkos::deep_copy(exec, a.values(), Here(whole.values.data(), whole.values.size()));
    exec.fence("perf_amg: the layer is added");
  }
};

}  // namespace ashlar::perf
