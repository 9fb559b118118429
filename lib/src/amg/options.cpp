#include <ashlar/amg/options.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <string>
#include <string_view>

namespace ashlar::amg {

std::string_view to_string(SmootherKind kind) {
  constexpr std::string_view names[] = {"chebyshev", "l1-jacobi", "gauss-seidel"};
  return names[static_cast<int>(kind)];
}

void check(const Options& options) {
  const auto require = [](bool holds, const std::string& problem, const char* why, const char* suggestion) {
    if (!holds) throw ArgumentError("amg: " + problem, why, suggestion);
  };
  require(options.strength >= 0 && options.strength < 1, text("strength ", options.strength),
          "it compares the coupling of two nodes with their diagonal blocks: from 0 to below 1", "0 or 0.02 are usual");
  require(options.cycle != cycles::CycleKind::f, "an F-cycle", "it is not symmetric, as CG needs it", "take V or W");
  require(options.smoother_degree >= 1 && options.smoother_degree <= 10,
          text("smoother_degree ", options.smoother_degree), "it is 1 to 10", "2 is usual");
  require(options.smoothed_fraction > 0 && options.smoothed_fraction < 1,
          text("smoothed_fraction ", options.smoothed_fraction), "it lies between 0 and 1", "0.1 is usual");
  require(options.prolongator_damping >= 0 && options.prolongator_damping < 2,
          text("prolongator_damping ", options.prolongator_damping), "it is from 0 to below 2", "4/3 is usual");
  require(options.coarsest_rows >= 1 && options.coarsest_rows <= most_coarsest_rows,
          text("coarsest_rows ", options.coarsest_rows), "a dense matrix of so many rows is inverted: 1 to 2000",
          "200 is usual");
  require(options.max_levels >= 1, text("max_levels ", options.max_levels), "there is one level at least",
          "20 is usual");
  require(options.fewest_rows >= 0, text("fewest_rows ", options.fewest_rows), "it counts block rows of a rank",
          "32 is usual");
}

void check_streamed(const Options& options) {
  check(options);
  if (options.smoother != SmootherKind::gauss_seidel) return;
  throw ArgumentError("amg: smoother gauss-seidel for a streamed matrix", "a sweep needs all rows in device memory",
                      "take chebyshev or l1-jacobi");
}

}  // namespace ashlar::amg
