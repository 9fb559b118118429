#pragma once

#include <cg_ranks/system.hpp>
#include <nlohmann/json.hpp>
#include <optional>

namespace ashlar::perf {

/// Of an iteration without preconditioner, whoever's.
template <class Exec>
double flops_of_iteration(const RankSystem<Exec>& system) {
  return 2.0 * double(system.num_values) + 10.0 * double(system.num_rows);
}

/// The columns that each row of results has: of which system on how many ranks, and how fast an iteration of `us`
/// microseconds is beside the read bandwidth of all ranks; null where its time is not known. The bytes are those of the
/// matrix in blocks and of nine passes over vectors.
template <class Exec>
nlohmann::json rates_json(const RankSystem<Exec>& system, int ranks, std::optional<double> us, double read_gb_s) {
  const double bytes = 8.0 * double(system.num_values) * (1 + 0.5 / double(system.block_size * system.block_size)) +
                       8 * 9.0 * double(system.num_rows);
  nlohmann::json row{{"case", system.name},
                     {"block_size", system.block_size},
                     {"num_rows", system.num_rows},
                     {"num_values", system.num_values},
                     {"ranks", ranks},
                     {"bytes", bytes},
                     {"limit_gb_s", read_gb_s}};
  for (const char* rate : {"us", "seconds", "gflops", "gb_s", "fraction"}) row[rate] = nullptr;
  if (us) {
    row.update({{"us", *us},
                {"seconds", 1e-6 * *us},
                {"gflops", 1e-3 * flops_of_iteration(system) / *us},
                {"gb_s", 1e-3 * bytes / *us},
                {"fraction", 1e-3 * bytes / *us / read_gb_s}});
  }
  return row;
}

}  // namespace ashlar::perf
