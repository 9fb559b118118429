#pragma once

#include <functional>
#include <string>
#include <support/types.hpp>
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
std::vector<Peer> rocsparse_peers(const Exec& exec, const Matrix& a, const Vector<double>& x, const Vector<double>& y);
std::vector<Peer> kokkos_kernels_peers(const Exec& exec, const Matrix& a, const Vector<double>& x,
                                       const Vector<double>& y);
std::vector<Peer> eigen_peers(const Exec& exec, const Matrix& a, const Vector<double>& x, const Vector<double>& y);
std::vector<Peer> mkl_peers(const Exec& exec, const Matrix& a, const Vector<double>& x, const Vector<double>& y);

/// Products with several vectors, entries by rows (k columns side by side) or by columns.
struct MultiVectorPair {
  Kokkos::View<double**, Kokkos::LayoutLeft, Space> x_by_columns, y_by_columns;
  Kokkos::View<double**, Kokkos::LayoutRight, Space> x_by_rows, y_by_rows;
};

/// A peer, and in which of the pair's y it leaves its result.
struct MultiPeer {
  Peer peer;
  bool by_rows;
};
std::vector<MultiPeer> cusparse_multi_peers(const Exec& exec, const Matrix& a, const MultiVectorPair& vectors);

}  // namespace ashlar::perf
