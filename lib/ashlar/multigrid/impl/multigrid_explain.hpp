#pragma once

#include <ashlar/base/text.hpp>
#include <ashlar/multigrid/multigrid.hpp>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

// The description of a multigrid.

namespace ashlar::multigrid {

namespace impl {

/// ", messages in mode kernel (asked for)"; of a level of one rank nothing.
template <class Exec, class Real>
std::string explain_messages(const Level<Exec, Real>& level) {
  if (!level.grid.is_shared()) return "";
  return text(", messages in mode ", to_string(level.exchange_options.mode), " (", level.fill_for_operator.why_mode(),
              ")");
}

/// ", overlaps (315 us a smoothing with it, 451 without)"; of a level that may not be cut nothing.
template <class Exec, class Real>
std::string explain_overlap(const Level<Exec, Real>& level) {
  if (!level.may_be_cut()) return "";
  std::string result = level.overlap() == Overlap::on ? ", overlaps" : ", no overlap";
  if (const auto& times = level.overlap_times) {
    result += text(" (", 1e6 * times->with, " us a smoothing with it, ", 1e6 * times->without, " without)");
  }
  return result;
}

}  // namespace impl

template <execution_space Exec, class Real>
std::vector<std::string> Multigrid<Exec, Real>::explain_parts() const {
  std::vector<std::string> parts{text("multigrid: ", to_string(options_.discretisation), ", ",
                                      to_string(options_.equation), ", ", to_string(options_.smoother))};
  bool is_within = false;
  for (std::size_t l = 0; l < num_levels(); ++l) {
    const BoxGrid& cells = grid(l);
    std::string part =
        text("level ", l, ": ", cells.cells_per_dim(), "^3 cells in ", count_text(cells.num_boxes(), "box"));
    if (!comm_->is_alone()) part += text(" on ", count_text(cells.num_owners(), "rank"));
    if (is_one_kernel(l) && !is_within) {
      part += text(", in one kernel with all below (", programs_.kernel().explain(), ")");
      is_within = true;
    }
    part += text(is_on_host(l) ? ", on the host (" : " (", is_on_host(l) ? HostExecution::name() : Exec::name(), ")");
    part += with_level(l, [](const auto& level) { return impl::explain_messages(level); });
    part += with_level(l, [](const auto& level) { return impl::explain_overlap(level); });
    const SweepForm form = with_level(l, [](const auto& level) { return level.sweeps; });
    if (form != SweepForm::cells) part += text(", sweeps by ", to_string(form));
    parts.push_back(std::move(part));
  }
  if (comm_->is_alone()) {
    std::string asked;
    if (options_.exchange.mode != ExchangeMode::automatic) asked = text("exchange ", to_string(options_.exchange.mode));
    if (options_.overlap == Overlap::on) asked += text(asked.empty() ? "" : ", ", "overlap on");
    if (!asked.empty()) parts.push_back(text("messages: none, as one rank has all boxes (asked for: ", asked, ")"));
  }
  if (!is_within) parts.push_back(text("one kernel: none (", why_no_kernel_, ")"));
  const std::string why = why_no_graph(0);
  std::size_t first = 0;
  while (first < levels_.size() && !why_no_graph(first).empty()) ++first;
  if (why.empty()) {
    parts.emplace_back("cycles as graphs");
  } else if (first < levels_.size()) {
    parts.push_back(text("graphs from level ", first, " on (above none: ", why, ")"));
  } else {
    parts.push_back(text("graphs: none (", why, ")"));
  }
  return parts;
}

template <execution_space Exec, class Real>
std::string Multigrid<Exec, Real>::explain() const {
  std::string result;
  for (const std::string& part : explain_parts()) result += (result.empty() ? "" : "; ") + part;
  return result;
}

}  // namespace ashlar::multigrid
