#pragma once

#include <functional>
#include <spmv/types.hpp>
#include <string>
#include <vector>

namespace ashlar::perf {

/// Another library's product with the same matrix.
struct Peer {
  std::string library, kernel;
  std::function<void()> apply;  ///< enqueues y := A x on the instance that it was made with
};

/// Each makes what its library needs of the matrix, and keeps it as long as a Peer lives. None where the library was
/// not there when this was built, or cannot take the matrix.
std::vector<Peer> cusparse_peers(const Exec& exec, const Matrix& a, const Vector<double>& x, const Vector<double>& y);
std::vector<Peer> kokkos_kernels_peers(const Exec& exec, const Matrix& a, const Vector<double>& x,
                                       const Vector<double>& y);
std::vector<Peer> eigen_peers(const Exec& exec, const Matrix& a, const Vector<double>& x, const Vector<double>& y);
std::vector<Peer> mkl_peers(const Exec& exec, const Matrix& a, const Vector<double>& x, const Vector<double>& y);

}  // namespace ashlar::perf
