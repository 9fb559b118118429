#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <ashlar/problems/grid27.hpp>
#include <ashlar/problems/stencil11.hpp>
#include <cg_ranks/renumbered_grid.hpp>
#include <cg_ranks/system.hpp>
#include <cstdio>
#include <functional>
#include <support/laplacian.hpp>
#include <utility>
#include <vector>

namespace ashlar::perf {

namespace {

using problems::RowRange;

/// How a case makes block rows of itself, and how many there are.
template <class Exec>
struct Maker {
  std::int64_t num_block_rows = 0;
  std::function<MatrixOn<Exec>(const RowRange&)> rows;
  std::function<VectorOn<Exec>(const RowRange&)> load;  ///< none: any vector will do
};

template <class Exec, class Structure>
Maker<Exec> laplacian(const Exec& exec, std::int64_t points, const Structure& structure) {
  return {points,
          [=](const RowRange& range) {
            const MatrixOn<Exec> rows = structure(range);
            fill_with_laplacian(exec, rows, range.begin);
            return rows;
          },
          {}};
}

template <class Exec>
Maker<Exec> grid(const Exec& exec, std::array<int, 3> n, int b) {
  return laplacian(exec, std::int64_t(n[0]) * n[1] * n[2], [=](const RowRange& range) {
    return problems::grid27<MatrixOn<Exec>>(exec, n[0], n[1], n[2], b, range);
  });
}

template <class Exec>
Maker<Exec> renumbered(const Exec& exec, int n, int b) {
  const problems::Lattice lattice({n, n, n});
  return laplacian(exec, lattice.num_points(),
                   [=](const RowRange& range) { return renumbered_grid<MatrixOn<Exec>>(exec, lattice, b, range); });
}

template <class Exec>
Maker<Exec> maker_of(const Exec& exec, const std::string& name) {
  int n = 0, b = 1, read = 0;
  const auto is = [&](const char* format, auto*... numbers) {
    return std::sscanf(name.c_str(), format, numbers..., &read) == int(sizeof...(numbers)) &&
           read == int(name.size()) && n >= 2 && b >= 1;
  };
  // 943296 rows, 81 non-zeros each, in 3x3 blocks; the matrix has 943695 and 82.
  if (name == "audi_kw") return renumbered(exec, 68, 3);
  // 504100 rows, 36 non-zeros each, of a sheet; the matrix has 503625 and 35.
  if (name == "af_0_k101") return grid(exec, {355, 355, 1}, 4);
  if (is("grid27x%d:%d%n", &b, &n)) return grid(exec, {n, n, n}, b);
  if (is("renumbered27x%d:%d%n", &b, &n)) return renumbered(exec, n, b);
  if (is("stencil11:%d%n", &n) || is("stencil11x%d:%d%n", &b, &n)) {
    return laplacian(exec, std::int64_t(n) * n * n, [=](const RowRange& range) {
      return problems::stencil11<MatrixOn<Exec>>(exec, n, n, n, b, range);
    });
  }
  if (is("cantilever:%d%n", &n)) {
    const problems::Cantilever problem{.nodes = {n, n, n}, .dof = 3};
    return {std::int64_t(n) * n * n,
            [=](const RowRange& range) { return problems::cantilever_matrix<MatrixOn<Exec>>(exec, problem, range); },
            [=](const RowRange& range) {
              return problems::cantilever_load<double, typename Exec::memory_space>(exec, problem, range);
            }};
  }
  throw ArgumentError(text("--cases ", name),
                      "a case is stencil11:N, stencil11xB:N, grid27xB:N, renumbered27xB:N, cantilever:N, audi_kw or "
                      "af_0_k101, N 2 or more",
                      "write for example stencil11:128");
}

/// As many blocks to each rank, or its share, from the lengths of all block rows, which each rank counts of an even
/// share.
template <class Exec>
RowPartition balanced(const Exec& exec, const Communicator& comm, const Maker<Exec>& maker,
                      const std::vector<double>& shares) {
  const RowPartition even = RowPartition::even(maker.num_block_rows, comm.size());
  const MatrixOn<Exec> rows = maker.rows({even.begin(comm.rank()), even.end(comm.rank())});
  const auto row_ptr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rows.graph().row_ptr());
  exec.fence("perf: row pointers");
  std::vector<std::int64_t> blocks(static_cast<std::size_t>(rows.num_block_rows()));
  for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = row_ptr(i + 1) - row_ptr(i);
  const std::vector<std::int64_t> all = comm.all_gather(blocks);
  if (shares.empty()) return RowPartition::by_weights(all, comm.size());
  std::vector<std::int64_t> before{0};
  for (const std::int64_t its : all) before.push_back(before.back() + its);
  return RowPartition::by_shares(before, shares);
}

}  // namespace

template <class Exec>
RankSystem<Exec> make_rank_system(const Exec& exec, const Communicator& comm, const std::string& name, bool is_streamed,
                                  const std::vector<double>& shares) {
  const Maker<Exec> maker = comm.together([&] { return maker_of(exec, name); });
  RankSystem<Exec> system{name, balanced(exec, comm, maker, shares), {}, {}, {}, 0, 0};
  const RowRange range{system.partition.begin(comm.rank()), system.partition.end(comm.rank())};
  comm.together([&] {
    system.rows = maker.rows(range);
    system.block_size = system.rows.block_size();
    if (maker.load) {
      system.b = maker.load(range);
    } else {
      const int b = system.block_size;
      const VectorOn<Exec> entries("perf::b", static_cast<std::size_t>(range.size() * b));
      const std::int64_t first = range.begin * b;
      Kokkos::parallel_for(
          "perf::test_vector", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, entries.extent(0)),
          KOKKOS_LAMBDA(std::int64_t i) { entries(i) = test_entry(first + i); });
      system.b = entries;
    }
    exec.fence("perf: system");
  });
  const std::int64_t num_values = system.rows.num_values();
  if (is_streamed) {
    system.host_rows = copy_to<typename HostMatrixOn<Exec>::memory_space>(exec, system.rows);
    exec.fence("perf: rows in the host's memory");
    system.rows = {};
  }
  system.num_rows = system.partition.num_rows() * system.block_size;
  system.num_values = comm.sum(num_values);
  return system;
}

template RankSystem<HostExec> make_rank_system(const HostExec&, const Communicator&, const std::string&, bool,
                                               const std::vector<double>&);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template RankSystem<Exec> make_rank_system(const Exec&, const Communicator&, const std::string&, bool,
                                           const std::vector<double>&);
#endif

}  // namespace ashlar::perf
