#include <algorithm>
#include <ashlar/trace/span.hpp>
#include <map>
#include <utility>

namespace ashlar::trace {

std::string_view to_string(SpanKind kind) {
  switch (kind) {
    case SpanKind::region:
      return "region";
    case SpanKind::fence:
      return "fence";
    case SpanKind::parallel_for:
      return "parallel_for";
    case SpanKind::parallel_reduce:
      return "parallel_reduce";
    case SpanKind::parallel_scan:
      return "parallel_scan";
    case SpanKind::copy:
      return "copy";
  }
  return "";
}

std::vector<SpanTotal> totals(const std::vector<Span>& spans) {
  std::map<std::pair<std::string, SpanKind>, SpanTotal> by_name;
  for (const Span& span : spans) {
    SpanTotal& total = by_name.try_emplace({span.name, span.kind}, SpanTotal{span.name, span.kind, 0, 0}).first->second;
    ++total.count;
    total.seconds += span.seconds();
  }
  std::vector<SpanTotal> result;
  for (auto& [key, total] : by_name) result.push_back(std::move(total));
  std::stable_sort(result.begin(), result.end(),
                   [](const SpanTotal& a, const SpanTotal& b) { return a.seconds > b.seconds; });
  return result;
}

}  // namespace ashlar::trace
