// Cells of a colour of Gauss-Seidel in any order, by boxes, ranks and operators.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <ashlar/multigrid/operator.hpp>
#include <ashlar/multigrid/smoother.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "rank_levels.hpp"
#include "support/host_streams.hpp"

namespace ashlar::testing {
namespace {

/// A number in [0, 1) that a place and a seed have, on any rank.
double random_at(unsigned seed, int i, int j, int k) {
  std::uint64_t bits = 0x9e3779b97f4a7c15ULL * (seed + 1);
  for (const int x : {i, j, k}) {
    bits = (bits ^ std::uint64_t(x + 16)) * 0xbf58476d1ce4e5b9ULL;
    bits ^= bits >> 29;
  }
  return double(bits >> 11) / double(std::uint64_t(1) << 53);
}

/// Half sweeps of random numbers, whole and in parts. A cell that is not to be swept yet has an inverse diagonal of 0.
class Sweeps {
 public:
  static constexpr int num_parts = 5;
  using Boxes = std::vector<std::vector<double>>;

  Sweeps(const Communicator& comm, Discretisation kind, int boxes, int dim, ExchangeMode mode, Overlap overlap)
      : exec_(rank_instance<Exec>()),
        level_(exec_, BoxGrid(boxes, dim, comm.size(), comm.rank()), kind, Equation::poisson, 0,
               std::make_shared<const Communicator>(comm.duplicate()), {.mode = mode}) {
    const double n = level_.grid.cells_per_dim();
    set(level_.u, [](int i, int j, int k) { return random_at(1, i, j, k); });
    set(level_.f, [n](int i, int j, int k) { return n * n * random_at(2, i, j, k); });
    for (unsigned d = 0; d < 3; ++d) {
      set(level_.beta[d], [d](int i, int j, int k) { return 1 + random_at(3 + d, i, j, k) / 2; });
    }
    fill_coefficient_ghosts(exec_, level_);
    level_.set_overlap(exec_, overlap);
  }

  /// All cells of the colour in one half sweep.
  Boxes whole(int colour) {
    set_inverse([](int, int, int) { return true; });
    return after({level_.u}, colour);
  }

  /// The same cells in parts that chance has made, one half sweep each, in this order of parts. With fv2 each part
  /// finds what the ones before have made. With fv4 each reads what all cells were before, and its cells are taken.
  Boxes in_parts(int colour, const std::vector<int>& order) {
    if (level_.discretisation == fv2) {
      BoxVector x = copy_of(level_.u);
      for (const int part : order) {
        set_inverse([&](int i, int j, int k) { return part_of(i, j, k) == part; });
        x = swept(x, colour);
      }
      return cells_of(x);
    }
    Boxes result;
    for (const int part : order) {
      set_inverse([&](int i, int j, int k) { return part_of(i, j, k) == part; });
      const Boxes found = after({level_.u}, colour);
      if (result.empty()) result = found;
      for_own([&](std::size_t box, std::size_t cell, int i, int j, int k) {
        if (part_of(i, j, k) == part) result[box][cell] = found[box][cell];
      });
    }
    return result;
  }

  int first_box() const { return level_.grid.first_own(); }

 private:
  static int part_of(int i, int j, int k) { return int(num_parts * random_at(9, i, j, k)); }

  template <class Value>
  void set(const BoxVector& x, const Value& value) {
    const int dim = level_.layout.dim;
    RankVector(exec_, level_, x).fill([&](int box, int i, int j, int k) {
      const Index3& place = level_.grid.place(box);
      return value(place[0] * dim + i, place[1] * dim + j, place[2] * dim + k);
    });
  }
  template <class IsSwept>
  void set_inverse(const IsSwept& is_swept) {
    const double n = level_.grid.cells_per_dim();
    set(level_.inverse_diagonal, [&](int i, int j, int k) { return is_swept(i, j, k) ? 0.11 / (n * n) : 0; });
  }

  BoxVector copy_of(const BoxVector& x) {
    const BoxVector copy = level_.vector(exec_, "copy");
    Kokkos::deep_copy(exec_, copy, x);
    return copy;
  }
  BoxVector swept(BoxVector x, int colour) {
    BoxVector temp = level_.vector(exec_, "temp");
    Kokkos::deep_copy(exec_, temp, std::numeric_limits<double>::quiet_NaN());
    gauss_seidel_half_sweep(exec_, level_, x, temp, level_.f, colour);
    return x;
  }
  Boxes after(const BoxVector& x, int colour) { return cells_of(swept(copy_of(x), colour)); }

  template <class Visit>
  void for_own(const Visit& visit) const {
    const int dim = level_.layout.dim;
    for (int box = 0; box < level_.num_boxes(); ++box) {
      const Index3& place = level_.grid.place(first_box() + box);
      for (int c = 0; c < dim * dim * dim; ++c) {
        const Index3 cell{c % dim, c / dim % dim, c / (dim * dim)};
        visit(std::size_t(box), std::size_t(c), place[0] * dim + cell[0], place[1] * dim + cell[1],
              place[2] * dim + cell[2]);
      }
    }
  }
  Boxes cells_of(const BoxVector& x) const {
    const int dim = level_.layout.dim;
    RankVector all(exec_, level_, x);
    Boxes result(std::size_t(level_.num_boxes()));
    for_own([&](std::size_t box, std::size_t c, int, int, int) {
      const int at = int(c);
      result[box].push_back(all(int(box), at % dim, at / dim % dim, at / (dim * dim)));
    });
    return result;
  }

  Exec exec_;
  Level<Exec> level_;
};

struct How {
  ExchangeMode mode;
  Overlap overlap;
  const char* name;
};

std::vector<How> all_modes() {
  std::vector<How> result{{ExchangeMode::blocking, Overlap::off, "blocking"},
                          {ExchangeMode::blocking, Overlap::on, "blocking, overlaps"}};
  if (!is_gpu_v<Exec>) result.push_back({ExchangeMode::stream, Overlap::off, "stream"});
  if (why_no_kernels_of_ranks() == nullptr) result.push_back({ExchangeMode::kernel, Overlap::off, "kernel"});
  return result;
}

TEST(ColourOrder, OfRandomPartsOnAnyRanksGivesTheSameBits) {
  for (const Discretisation kind : {fv2, fv4}) {
    for (const auto& [boxes, dim] : {std::pair{2, 8}, {3, 5}}) {
      for (const int colour : {0, 1}) {
        Sweeps::Boxes one;
        run_ranks(1, [&](Communicator& comm) {
          Sweeps sweeps(comm, kind, boxes, dim, ExchangeMode::blocking, Overlap::off);
          one = sweeps.whole(colour);
          EXPECT_NE(sweeps.in_parts(colour, {0, 1, 2, 3}), one) << "a part is left out";
        });
        for (const int ranks : {1, 2, 5}) {
          for (const How& how : all_modes()) {
            if (ranks == 1 && how.mode != ExchangeMode::blocking) continue;
            run_ranks(ranks, [&](Communicator& comm) {
              const Communicator group = how.mode == ExchangeMode::stream ? with_host_streams(comm) : comm.duplicate();
              Sweeps sweeps(group, kind, boxes, dim, how.mode, how.overlap);
              const auto first = one.begin() + sweeps.first_box();
              const auto is_of_one = [&](const Sweeps::Boxes& found) {
                return std::equal(found.begin(), found.end(), first);
              };
              const std::string where = std::string(to_string(kind)) + ", " + std::to_string(boxes) + "^3 boxes on " +
                                        std::to_string(ranks) + " ranks, " + how.name;
              EXPECT_TRUE(is_of_one(sweeps.whole(colour))) << where;
              EXPECT_TRUE(is_of_one(sweeps.in_parts(colour, {3, 0, 4, 2, 1}))) << where;
            });
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
