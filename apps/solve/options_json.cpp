#include "solve/options_json.hpp"

#include "solve/optional_json.hpp"

namespace ashlar::app {

using Json = nlohmann::ordered_json;

Json options_json(const SolveOptions& options) {
  const auto& [source, method, placement, distribution, outputs] = options;
  Json json;
  json["problem"] = optional_json(source.problem);
  if (source.problem) {
    json["nodes"] = source.nodes_or_default();
    json["dof"] = source.dof_or_default();
  }
  json["matrix"] = optional_json(source.matrix);
  json["rhs"] = optional_json(source.rhs);
  json["initial_guess"] = optional_json(source.initial_guess);
  if (source.matrix) {
    const int block_size = source.block_size.value_or(0);
    json["block_size"] = block_size == 0 ? Json("auto") : Json(block_size);
  }
  json["solver"] = to_string(method.solver);
  json["variant"] = to_string(method.variant);
  json["num_rhs"] = method.num_rhs;
  if (method.solver == SolverKind::gmres) json["restart"] = method.restart_or_default();
  json["stream"] = to_string(placement.stream);
  json["transfer"] = to_string(placement.transfer);
  json["preconditioner"] = to_string(method.preconditioner);
  json["near_null"] = to_string(method.near_null);
  json["coordinates"] = optional_json(method.coordinates);
  json["preconditioner_precision"] = to_string(method.preconditioner_precision);
  json["null_space"] = to_string(method.null_space);
  json["rtol"] = method.rtol;
  json["atol"] = method.atol;
  json["norm"] = std::string(to_string(method.norm));
  json["max_iterations"] = method.max_iterations;
  json["stagnation_window"] = method.stagnation_window == 0                      ? Json("auto")
                              : method.stagnation_window == no_stagnation_window ? Json("off")
                                                                                 : Json(method.stagnation_window);
  json["kernel"] = to_string(method.kernel);
  json["threads"] = optional_json(method.threads);
  json["tune"] = optional_json(method.tune);
  json["skip_symmetry_check"] = source.skip_symmetry_check;
  json["device_memory_limit"] = optional_json(placement.device_memory_limit);
  json["decomposition"] = std::string(to_string(distribution.decomposition));
  json["halo"] = option_name(distribution.halo);
  json["exchange"] = option_name(distribution.exchange);
  json["partition"] = distribution.partition;
  json["ranks_on_host"] = distribution.ranks_on_host;
  json["solution"] = optional_json(outputs.solution);
  json["report"] = optional_json(outputs.report);
  json["vtk"] = optional_json(outputs.vtk);
  json["trace"] = optional_json(outputs.trace);
  json["checkpoint"] = optional_json(outputs.checkpoint);
  json["checkpoint_every"] = outputs.checkpoint_every;
  json["resume"] = optional_json(outputs.resume);
  json["efficiency"] = optional_json(outputs.efficiency);
  json["history"] = outputs.history;
  json["probe"] = !outputs.no_probe;
  return json;
}

}  // namespace ashlar::app
