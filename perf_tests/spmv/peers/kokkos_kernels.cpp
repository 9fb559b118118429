#include <spmv/peers/peer.hpp>

#if defined(ASHLAR_PERF_KOKKOS_KERNELS)

#include <KokkosSparse_BsrMatrix.hpp>
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <exception>
#include <memory>
#include <spmv/matrices.hpp>
#include <utility>

namespace ashlar::perf {

namespace {

using Device = Kokkos::Device<Exec, Space>;
using Bsr = KokkosSparse::Experimental::BsrMatrix<double, int, Device, void, int>;
using Crs = KokkosSparse::CrsMatrix<double, int, Device, void, int>;

/// Algorithms of theirs that cannot take the matrix say so when they are first run.
template <class Theirs, class Keep>
void add(std::vector<Peer>& peers, const Exec& exec, const char* kernel, KokkosSparse::SPMVAlgorithm algorithm,
         const Theirs& matrix, const Vector<double>& x, const Vector<double>& y, const Keep& keep) {
  using Handle = KokkosSparse::SPMVHandle<Device, Theirs, Vector<double>, Vector<double>>;
  const auto handle = std::make_shared<Handle>(algorithm);
  const auto apply = [=] {
    KokkosSparse::spmv(exec, handle.get(), "N", 1.0, matrix, x, 0.0, y);
    (void)keep;
  };
  try {
    apply();
    exec.fence("perf::kokkos_kernels: first product");
    peers.push_back({"Kokkos Kernels", kernel, apply});
  } catch (const std::exception&) {
    // Not for this block size.
  }
}

}  // namespace

std::vector<Peer> kokkos_kernels_peers(const Exec& exec, const Matrix& a, const Vector<double>& x,
                                       const Vector<double>& y) {
  std::vector<Peer> peers;
  const RowMajorMatrix rows = by_rows(exec, a);
  const auto unconst = [](const auto& view) {
    using T = typename std::decay_t<decltype(view)>::non_const_value_type;
    return Kokkos::View<T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(const_cast<T*>(view.data()),
                                                                            view.extent(0));
  };
  if (a.block_size() > 1) {
    const Bsr::staticcrsgraph_type graph(unconst(a.graph().col_idx()), unconst(a.graph().row_ptr()));
    const Bsr bsr("perf::bsr", a.num_block_cols(), unconst(rows.values()), graph, a.block_size());
    for (const auto& [name, algorithm] :
         {std::pair("BSR, default", KokkosSparse::SPMV_DEFAULT), std::pair("BSR, 4.1", KokkosSparse::SPMV_BSR_V41),
          std::pair("BSR, 4.2", KokkosSparse::SPMV_BSR_V42)}) {
      add(peers, exec, name, algorithm, bsr, x, y, rows);
    }
  } else {
    const Crs crs("perf::crs", a.num_rows(), a.num_cols(), a.num_values(), unconst(a.values()),
                  unconst(a.graph().row_ptr()), unconst(a.graph().col_idx()));
    add(peers, exec, "CSR, native", KokkosSparse::SPMV_NATIVE, crs, x, y, a);
  }
  return peers;
}

}  // namespace ashlar::perf

#else

namespace ashlar::perf {
std::vector<Peer> kokkos_kernels_peers(const Exec&, const Matrix&, const Vector<double>&, const Vector<double>&) {
  return {};
}
}  // namespace ashlar::perf

#endif
