#include <spmv/peers/peer.hpp>

#if defined(ASHLAR_PERF_ROCSPARSE)

#include <rocsparse/rocsparse.h>

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <memory>
#include <spmv/matrices.hpp>
#include <type_traits>

namespace ashlar::perf {

namespace {

void check(rocsparse_status status, const char* call) {
  if (status == rocsparse_status_success) return;
  throw Error(text("rocSPARSE: ", call, ": ", rocsparse_get_status_name(status)), "the peer could not be made ready",
              "leave it out with --libraries ashlar");
}

template <class T>
using Shared = std::shared_ptr<std::remove_pointer_t<T>>;

/// What `create` makes, and `destroy` ends.
template <class T>
Shared<T> make(rocsparse_status (*create)(T*), rocsparse_status (*destroy)(T), const char* call) {
  T made = nullptr;
  check(create(&made), call);
  return Shared<T>(made, destroy);
}

Shared<rocsparse_handle> handle_of(const Exec& exec) {
  auto handle = make<rocsparse_handle>(rocsparse_create_handle, rocsparse_destroy_handle, "rocsparse_create_handle");
  check(rocsparse_set_stream(handle.get(), exec.hip_stream()), "rocsparse_set_stream");
  return handle;
}

/// What is told of a matrix, and what the library learns of its structure.
struct Description {
  Shared<rocsparse_mat_descr> description =
      make<rocsparse_mat_descr>(rocsparse_create_mat_descr, rocsparse_destroy_mat_descr, "rocsparse_create_mat_descr");
  Shared<rocsparse_mat_info> info =
      make<rocsparse_mat_info>(rocsparse_create_mat_info, rocsparse_destroy_mat_info, "rocsparse_create_mat_info");
};

template <class Values>
void add_bsrmv(std::vector<Peer>& peers, const char* kernel, const Shared<rocsparse_handle>& handle, const Matrix& a,
               const Values& values, rocsparse_direction direction, const Vector<double>& x, const Vector<double>& y) {
  const Description of;
  const int* const row_ptr = a.graph().row_ptr().data();
  const int* const col_idx = a.graph().col_idx().data();
  check(rocsparse_dbsrmv_analysis(handle.get(), direction, rocsparse_operation_none, a.num_block_rows(),
                                  a.num_block_cols(), a.num_blocks(), of.description.get(), values.data(), row_ptr,
                                  col_idx, a.block_size(), of.info.get()),
        "rocsparse_dbsrmv_analysis");
  peers.push_back({"rocSPARSE", kernel, [=] {
                     const double alpha = 1, beta = 0;
                     check(rocsparse_dbsrmv(handle.get(), direction, rocsparse_operation_none, a.num_block_rows(),
                                            a.num_block_cols(), a.num_blocks(), &alpha, of.description.get(),
                                            values.data(), row_ptr, col_idx, a.block_size(), of.info.get(), x.data(),
                                            &beta, y.data()),
                           "rocsparse_dbsrmv");
                   }});
}

/// Analysed: by the rows' lengths, dealt out beforehand; else as they come.
void add_csrmv(std::vector<Peer>& peers, const char* kernel, const Shared<rocsparse_handle>& handle, const Matrix& a,
               const Csr& csr, bool analysed, const Vector<double>& x, const Vector<double>& y) {
  const Description of;
  const auto rows = static_cast<int>(a.num_rows()), cols = static_cast<int>(a.num_cols());
  const auto count = static_cast<int>(a.num_values());
  if (analysed) {
    check(rocsparse_dcsrmv_analysis(handle.get(), rocsparse_operation_none, rows, cols, count, of.description.get(),
                                    csr.values.data(), csr.row_ptr.data(), csr.col_idx.data(), of.info.get()),
          "rocsparse_dcsrmv_analysis");
  }
  const rocsparse_mat_info info = analysed ? of.info.get() : nullptr;
  peers.push_back({"rocSPARSE", kernel, [=] {
                     const double alpha = 1, beta = 0;
                     check(rocsparse_dcsrmv(handle.get(), rocsparse_operation_none, rows, cols, count, &alpha,
                                            of.description.get(), csr.values.data(), csr.row_ptr.data(),
                                            csr.col_idx.data(), info, x.data(), &beta, y.data()),
                           "rocsparse_dcsrmv");
                   }});
}

}  // namespace

std::vector<Peer> rocsparse_peers(const Exec& exec, const Matrix& a, const Vector<double>& x, const Vector<double>& y) {
  std::vector<Peer> peers;
  const auto handle = handle_of(exec);
  if (a.block_size() > 1) {
    const RowMajorMatrix rows = by_rows(exec, a);
    add_bsrmv(peers, "bsrmv, by columns", handle, a, a.values(), rocsparse_direction_column, x, y);
    add_bsrmv(peers, "bsrmv, by rows", handle, a, rows.values(), rocsparse_direction_row, x, y);
  }
  if (a.num_values() < std::int64_t(1) << 31) {
    const Csr csr = by_entries(exec, a);
    add_csrmv(peers, "CSR, analysed", handle, a, csr, true, x, y);
    add_csrmv(peers, "CSR, as it comes", handle, a, csr, false, x, y);
  }
  return peers;
}

}  // namespace ashlar::perf

#else

namespace ashlar::perf {
std::vector<Peer> rocsparse_peers(const Exec&, const Matrix&, const Vector<double>&, const Vector<double>&) {
  return {};
}
}  // namespace ashlar::perf

#endif
