#include <ashlar/amg/figures.hpp>
#include <ashlar/base/text.hpp>
#include <iomanip>
#include <locale>
#include <sstream>
#include <string>
#include <vector>

namespace ashlar::amg {

namespace {

std::string smoother_text(const Options& options) {
  const int count = options.smoother_degree;
  if (options.smoother == SmootherKind::chebyshev) return text("Chebyshev smoother of degree ", count);
  return text("smoother of ", count_text(count, "sweep"), " of ", to_string(options.smoother));
}

}  // namespace

double operator_complexity(const std::vector<LevelFigures>& levels) {
  const auto values = [](const LevelFigures& level) {
    return double(level.blocks * level.block_size * level.block_size);
  };
  double sum = 0;
  for (const LevelFigures& level : levels) sum += values(level);
  return sum > 0 ? sum / values(levels.front()) : 1;
}

std::string describe(const Options& options, const std::vector<LevelFigures>& levels, bool is_in_float, bool is_dense) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << "smoothed aggregation in " << (is_in_float ? "float" : "double") << ", " << cycles::to_string(options.cycle)
      << "-cycle, " << smoother_text(options) << ", operator complexity " << std::fixed << std::setprecision(2)
      << operator_complexity(levels) << "\n";
  int number = 0;
  for (const LevelFigures& level : levels) {
    out << "level " << number++ << ": " << level.rows << " rows, " << level.blocks << " blocks of " << level.block_size
        << " x " << level.block_size << "\n";
  }
  out << "coarsest level: " << (is_dense ? "dense inverse" : "smoothed") << "\n";
  return out.str();
}

}  // namespace ashlar::amg
