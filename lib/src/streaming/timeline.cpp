#include <algorithm>
#include <ashlar/streaming/timeline.hpp>
#include <cstddef>

namespace ashlar {

namespace {

/// Where something begins (+1) or ends (-1).
struct Mark {
  double seconds;
  int copies, products;
};

}  // namespace

double StreamOverlap::hidden_share() const {
  const double shorter = std::min(copy_seconds, product_seconds);
  return shorter > 0 ? both_seconds / shorter : 1;
}

StreamOverlap overlap_of(const std::vector<StreamSpan>& spans) {
  std::vector<Mark> marks;
  for (const StreamSpan& span : spans) {
    const int is_copy = span.track == "copies", is_product = span.track == "products";
    if (is_copy + is_product == 0) continue;
    marks.push_back({span.begin_seconds, is_copy, is_product});
    marks.push_back({span.end_seconds, -is_copy, -is_product});
  }
  std::sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.seconds < b.seconds; });
  StreamOverlap result;
  int copies = 0, products = 0;
  for (std::size_t i = 0; i + 1 < marks.size(); ++i) {
    copies += marks[i].copies;
    products += marks[i].products;
    const double seconds = marks[i + 1].seconds - marks[i].seconds;
    if (copies > 0) result.copy_seconds += seconds;
    if (products > 0) result.product_seconds += seconds;
    if (copies > 0 && products > 0) result.both_seconds += seconds;
  }
  return result;
}

}  // namespace ashlar
