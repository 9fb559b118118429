#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <cg_ranks/peers/local_rows.hpp>
#include <limits>

namespace ashlar::perf {

namespace {

using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

/// The block columns of these rows that other ranks have, in order.
std::vector<int> columns_of_others(const Exec& exec, const Matrix& rows, std::int64_t begin, std::int64_t end) {
  const auto col_idx = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rows.graph().col_idx());
  exec.fence("perf::columns_of_others");
  std::vector<int> columns;
  for (std::size_t k = 0; k < col_idx.extent(0); ++k) {
    if (col_idx(k) < begin || col_idx(k) >= end) columns.push_back(col_idx(k));
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

Kokkos::View<int*, Space> on_device(const Exec& exec, const std::vector<int>& numbers) {
  const Kokkos::View<int*, Space> view("perf::numbers", numbers.size());
  Kokkos::deep_copy(exec, view, Kokkos::View<const int*, Kokkos::HostSpace>(numbers.data(), numbers.size()));
  exec.fence("perf::on_device");
  return view;
}

/// Of columns of the whole makes those of the rank: its own from 0 on, the halo's behind them.
void renumber(const Exec& exec, const LocalRows& rows, const std::vector<int>& others, std::int64_t first, int b) {
  const auto halo = on_device(exec, others);
  const auto col_idx = rows.csr.col_idx;
  const std::int64_t num_rows = rows.num_rows, num_others = std::int64_t(others.size());
  Kokkos::parallel_for(
      "perf::renumber", Policy(exec, 0, col_idx.extent(0)), KOKKOS_LAMBDA(std::int64_t k) {
        const std::int64_t column = col_idx(k);
        if (column >= first && column < first + num_rows) {
          col_idx(k) = static_cast<int>(column - first);
          return;
        }
        std::int64_t low = 0, high = num_others - 1;  // it is there
        while (low < high) {
          const std::int64_t middle = (low + high) / 2;
          if (halo(middle) < column / b) {
            low = middle + 1;
          } else {
            high = middle;
          }
        }
        col_idx(k) = static_cast<int>(num_rows + low * b + column % b);
      });
  exec.fence("perf::renumber");
}

}  // namespace

LocalRows make_local_rows(const Exec& exec, const Communicator& comm, const RankSystem<Exec>& system) {
  const int b = system.block_size;
  const std::int64_t begin = system.partition.begin(comm.rank()), end = system.partition.end(comm.rank());
  const std::size_t num_ranks = static_cast<std::size_t>(comm.size());
  LocalRows rows;
  const std::vector<int> others = comm.together([&] {
    const std::int64_t num_values = system.rows.num_values(), most = std::numeric_limits<int>::max();
    if (num_values > most || system.num_rows > most) {
      throw ArgumentError(text(num_values, " non-zeros on a rank, ", system.num_rows, " rows of all"),
                          "the peers count them by ints", "choose a smaller case, or more ranks");
    }
    std::vector<int> columns = columns_of_others(exec, system.rows, begin, end);
    rows.num_rows = system.rows.num_rows();
    rows.num_halo = std::int64_t(columns.size()) * b;
    rows.csr = by_entries(exec, system.rows);
    renumber(exec, rows, columns, begin * b, b);
    return columns;
  });

  // What each rank asks the others for, and where it will have it.
  std::vector<std::vector<int>> wanted(num_ranks);
  std::vector<std::vector<std::int64_t>> places(num_ranks);
  auto next = others.begin();
  for (std::size_t rank = 0; rank < num_ranks; ++rank) {
    const auto first = next;
    while (next != others.end() && *next < system.partition.end(int(rank))) ++next;
    if (first == next) continue;
    wanted[rank].assign(first, next);
    places[rank].push_back((first - others.begin()) * b);
    rows.from.push_back({int(rank), places[rank][0], (next - first) * b, 0});
  }
  const std::vector<std::vector<int>> asked = comm.all_to_all(wanted);
  const std::vector<std::vector<std::int64_t>> begins_there = comm.all_to_all(places);
  std::vector<int> sent;
  for (std::size_t rank = 0; rank < num_ranks; ++rank) {
    if (asked[rank].empty()) continue;
    rows.to.push_back(
        {int(rank), std::int64_t(sent.size()), std::int64_t(asked[rank].size()) * b, begins_there[rank][0]});
    for (const int column : asked[rank]) {
      for (int c = 0; c < b; ++c) sent.push_back(static_cast<int>(column - begin) * b + c);
    }
  }
  rows.sent = comm.together([&] { return on_device(exec, sent); });
  return rows;
}

}  // namespace ashlar::perf
