#pragma once

#include <ashlar/multigrid/methods.hpp>
#include <ashlar/multigrid/multigrid.hpp>
#include <optional>
#include <string>

#include "world.hpp"

namespace CLI {
class App;
}

namespace ashlar::app {

/// What `ashlar hpgmg` is told.
struct HpgmgOptions {
  int log2_box = 0;
  int boxes_per_rank = 0;
  multigrid::MultigridOptions methods;
  multigrid::Cycle cycle = multigrid::Cycle::f;
  std::optional<std::string> report;
};

void declare_options(CLI::App& command, HpgmgOptions& options);

/// Finds out what is wrong before any work is done. All ranks find the same.
///
/// Throws   ArgumentError.
void check_before_start(const World& world, const HpgmgOptions& options);

}  // namespace ashlar::app
