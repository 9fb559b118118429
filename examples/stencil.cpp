// Heat in a cube, a stencil code of its own on slabs of planes: only the exchange of planes is the library's.
// mpirun -n 3 example_stencil [automatic|blocking|stream|kernel]
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/comm/mpi/communicator.hpp>
#include <ashlar/halo/halo_exchange.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <numbers>
#include <utility>
#include <vector>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Values = Kokkos::View<double*>;

constexpr int n = 32, plane = n * n;  // points within the cube in each direction; u = 0 beyond
constexpr double r = 1. / 8;          // dt / h^2
constexpr const char* names = "automatic, blocking, stream or kernel";

/// next := u + r * (the six neighbours - 6 u) in planes from `first` on.
struct Step {
  Values u, next;
  const double *below, *above;  // the planes of the neighbour ranks; nullptr: the boundary
  int num_planes, first;

  KOKKOS_FUNCTION double at(int i, int j, int k) const {
    if (i < 0 || i == n || j < 0 || j == n) return 0;
    const int in_plane = j * n + i;
    if (k < 0) return below != nullptr ? below[in_plane] : 0;
    if (k == num_planes) return above != nullptr ? above[in_plane] : 0;
    return u(k * plane + in_plane);
  }
  KOKKOS_FUNCTION void operator()(int index) const {
    const int i = index % n, j = index / n % n, k = first + index / plane;
    const double sum =
        at(i - 1, j, k) + at(i + 1, j, k) + at(i, j - 1, k) + at(i, j + 1, k) + at(i, j, k - 1) + at(i, j, k + 1);
    next(k * plane + j * n + i) = at(i, j, k) + r * (sum - 6 * at(i, j, k));
  }
};

/// A sine in each direction, which keeps its shape.
double wave(int i, int j, int k) {
  const auto sine = [](int at) { return std::sin(std::numbers::pi * (at + 1) / (n + 1)); };
  return sine(i) * sine(j) * sine(k);
}

bool cools_as_it_should(const ashlar::Communicator& comm, ashlar::ExchangeMode mode) {
  const Exec exec;
  // A plane is one entry. This rank needs the one below its own and the one above.
  const auto partition = ashlar::RowPartition::even(n, comm.size());
  const std::int64_t begin = partition.begin(comm.rank()), end = partition.end(comm.rank());
  const int num_planes = int(end - begin);
  std::vector<std::int64_t> needed;
  if (num_planes > 0 && begin > 0) needed.push_back(begin - 1);
  if (num_planes > 0 && end < n) needed.push_back(end);
  ashlar::HaloExchange<double> exchange(exec, comm, ashlar::HaloPlan(comm, partition, needed), plane, 1, mode);

  Values u("u", num_planes * plane), next("next", num_planes * plane);
  const auto host = Kokkos::create_mirror_view(u);
  for (int at = 0; at < num_planes * plane; ++at) host(at) = wave(at % n, at / n % n, int(begin) + at / plane);
  Kokkos::deep_copy(u, host);

  constexpr int num_steps = 100;
  for (int step = 0; step < num_steps; ++step) {
    const auto step_planes = [&](int first, int last, const double* below, const double* above) {
      if (first >= last) return;
      Kokkos::parallel_for("step", Kokkos::RangePolicy<Exec>(exec, 0, (last - first) * plane),
                           Step{u, next, below, above, num_planes, first});
    };
    exchange.begin(exec, u);
    step_planes(1, num_planes - 1, nullptr, nullptr);  // while planes are on their way
    exchange.end(exec);
    const auto halo = exchange.halo();
    const auto received = [&](std::int64_t of) { return halo.data() + exchange.plan().position(of) * plane; };
    const double* const below = begin > 0 && num_planes > 0 ? received(begin - 1) : nullptr;
    const double* const above = end < n && num_planes > 0 ? received(end) : nullptr;
    step_planes(0, std::min(1, num_planes), below, above);
    step_planes(std::max(1, num_planes - 1), num_planes, below, above);
    std::swap(u, next);
  }

  // A step multiplies it by one number.
  const double factor = 1 - r * 3 * (2 - 2 * std::cos(std::numbers::pi / (n + 1)));
  const double amplitude = std::pow(factor, num_steps);
  Kokkos::deep_copy(host, u);
  double error = 0;
  for (int at = 0; at < num_planes * plane; ++at) {
    error = std::max(error, std::abs(host(at) - amplitude * wave(at % n, at / n % n, int(begin) + at / plane)));
  }
  error = comm.max(error);
  if (comm.rank() == 0) {
    std::printf("%s\nafter %d steps on %d ranks: %.6f of the heat, wrong by %.1e\n", exchange.explain().c_str(),
                num_steps, comm.size(), amplitude, error);
  }
  return error < 1e-13;
}

}  // namespace

int main(int argc, char** argv) {
  using enum ashlar::ExchangeMode;
  const ashlar::MpiSession mpi;
  const Kokkos::ScopeGuard kokkos(argc, argv);  // takes Kokkos' own options
  const auto all = {automatic, blocking, stream, kernel};
  const auto mode = std::ranges::find_if(all, [&](auto each) { return argc < 2 || to_string(each) == argv[1]; });
  const ashlar::Communicator comm = mpi.world();
  if (mode == all.end() && comm.rank() == 0) std::fprintf(stderr, "no mode '%s'; pass %s\n", argv[1], names);
  if (mode == all.end()) return 2;
  try {
    return cools_as_it_should(comm, *mode) ? 0 : 1;
  } catch (const std::exception& error) {
    comm.abort(error.what());  // the others would wait for this rank
  }
}
