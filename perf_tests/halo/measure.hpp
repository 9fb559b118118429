#pragma once

#include <ashlar/comm/communicator.hpp>
#include <cstdint>
#include <halo/interior_work.hpp>
#include <halo/options.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <support/types.hpp>

namespace ashlar::perf {

/// Measures exchanges of messages of one length with so many neighbours: in each mode of the library, in the kernel
/// mode also of vectors that it packs, and by raw peers.
///
/// Each is verified before it is timed. Exchanges are timed back to back, in turns with those of the others. Then each
/// mode is timed in turns with interior work alone, and with that work between begin and end of an exchange.
class HaloMeasurement {
 public:
  /// `comm` has the ranks of MPI_COMM_WORLD.
  HaloMeasurement(const Exec& exec, const Communicator& comm, const HaloPerfOptions& options);

  /// Adds rows to results(), which rank 0 prints too. Collective.
  void measure(int neighbours, std::int64_t bytes);

  /// Adds rows of what the kernels of ranks do with each other that iterate as one (RoundsInKernel): a sum, and a halo
  /// of each length. Collective.
  void measure_in_kernel();

  const nlohmann::json& results() const { return results_; }
  /// Modes that cannot be had here: what each rank says of that.
  const nlohmann::json& left_out() const { return left_out_; }
  /// Whether all that was exchanged was right.
  bool all_right() const { return all_right_; }

 private:
  struct Candidate;

  void leave_out(const std::string& library, const std::string& kernel, const std::string& why);
  nlohmann::json hidden_shares(Candidate& candidate, double seconds);

  Exec exec_;
  const Communicator& comm_;
  HaloPerfOptions options_;
  InteriorWork work_;
  std::set<std::string> missing_;
  nlohmann::json results_ = nlohmann::json::array(), left_out_ = nlohmann::json::array();
  bool all_right_ = true;
};

}  // namespace ashlar::perf
