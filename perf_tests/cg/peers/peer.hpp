#pragma once

#include <cg/results.hpp>
#include <cg/system.hpp>
#include <functional>
#include <string>
#include <support/types.hpp>
#include <vector>

namespace ashlar::perf {

/// CG or GMRES of another library on the same system, without preconditioner.
struct CgPeer {
  CgForm form;
  std::string launch;  ///< how iterations reach the device
  /// Starts from x = 0 and goes on until ||r|| <= rtol ||b|| by the recurrence, or for so many iterations; returns how
  /// many there were. It looks after each period.
  std::function<int(double rtol, int max_iterations)> solve;
  /// The seconds of so many iterations from x = 0 on, by the device's clock; of a multiple of `period`.
  std::function<double(int num_iterations)> seconds_of;
  int period = 10;
};

/// With the products of cuSPARSE and the vector operations of cuBLAS. Each keeps what it needs as long as it lives, and
/// leaves its solution in x. None where the libraries were not there when this was built.
std::vector<CgPeer> cusparse_cg_peers(const Exec& exec, const CgSystem& system, const Vector<double>& x);

}  // namespace ashlar::perf
