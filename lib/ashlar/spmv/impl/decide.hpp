#pragma once

#include <ashlar/spmv/impl/choose_launch.hpp>
#include <ashlar/spmv/tuning_table.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ashlar::impl {

/// A launch, who chose it, and the grounds, for people.
struct Decision {
  SpmvLaunch launch;
  ChosenBy chosen_by = ChosenBy::cost_model;
  std::string grounds;
};

/// The launch of a plan: as asked for; or, where nothing is asked for, as measured; or as the cost model has it.
///
/// What was measured is left aside, and the grounds say so, where its kernel cannot take this shape: the matrices of a
/// class differ.
///
/// Throws   as choose_launch; ArgumentError where what was measured has a width that this device does not.
Decision decide(const SpmvShape& shape, const SpmvDevice& device, const LaunchRequest& request,
                const std::optional<TuningChoice>& measured);

/// The launches that are worth measuring, by what to ask for; the first is the cost model's choice.
std::vector<LaunchRequest> launch_candidates(const SpmvShape& shape, const SpmvDevice& device);

}  // namespace ashlar::impl
