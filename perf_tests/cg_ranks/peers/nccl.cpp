#include <cg_ranks/peers/peer.hpp>

#if defined(ASHLAR_PERF_HAS_NCCL) && defined(ASHLAR_PERF_CUSPARSE) && defined(ASHLAR_PERF_CUBLAS)

#include <nccl.h>

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/graphs/captured_work.hpp>
#include <cg/peers/cusparse_cg.hpp>
#include <cg/peers/cusparse_product.hpp>
#include <exception>
#include <optional>
#include <utility>

namespace ashlar::perf {

namespace {

void check_nccl(ncclResult_t result, const char* call) {
  if (result == ncclSuccess) return;
  throw Error(text("NCCL: ", call, ": ", ncclGetErrorString(result)), "the peer cannot go on",
              "leave it out with --libraries ashlar,in_kernel");
}

/// A communicator of NCCL's of the same ranks. Collective.
class NcclRanks {
 public:
  // (It begins with the one of nothing: the destructor gives back what there is where another rank has failed.)
  explicit NcclRanks(const Communicator& comm) : NcclRanks() {
    if (comm.stream_transport() == nullptr) {  // tried before, and for ranks on one device
      throw Error("NCCL: not between these ranks", comm.why_no_stream_transport(), "give each rank a GPU of its own");
    }
    ncclUniqueId id{};
    comm.together([&] {
      if (comm.rank() == 0) check_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
    });
    id = comm.broadcast(id);
    comm.together([&] { check_nccl(ncclCommInitRank(&nccl_, comm.size(), id, comm.rank()), "ncclCommInitRank"); });
  }
  NcclRanks(const NcclRanks&) = delete;
  NcclRanks& operator=(const NcclRanks&) = delete;
  ~NcclRanks() {
    if (nccl_ == nullptr) return;
    // A rank that leaves early cannot wait for what others may never send.
    std::uncaught_exceptions() > 0 ? ncclCommAbort(nccl_) : ncclCommDestroy(nccl_);
  }
  ncclComm_t get() const { return nccl_; }

 private:
  NcclRanks() = default;

  ncclComm_t nccl_ = nullptr;
};

cusparseSpMatDescr_t describe(const LocalRows& rows) {
  cusparseSpMatDescr_t matrix = nullptr;
  const Csr& csr = rows.csr;
  check(cusparseCreateCsr(&matrix, rows.num_rows, rows.num_rows + rows.num_halo, csr.values.extent(0),
                          csr.row_ptr.data(), csr.col_idx.data(), csr.values.data(), CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
        "cusparseCreateCsr");
  return matrix;
}

/// The iteration as the calls of the three libraries let it be written, with three small kernels besides.
class NcclCg final : public RanksPeer {
 public:
  static constexpr int iterations_of_graph = 10;

  NcclCg(const Exec& exec, const Communicator& comm, const RanksPeerSystem& system,
         std::shared_ptr<const NcclRanks> ranks, cusparseSpMVAlg_t algorithm, bool is_captured)
      : exec_(exec), comm_(comm), system_(system), ranks_(std::move(ranks)) {
    comm.together([&] {
      const std::size_t n = system.b.extent(0), halo = std::size_t(system.rows.num_halo);
      libraries_.emplace(exec);
      r_ = Vector<double>("perf::r", n);
      q_ = Vector<double>("perf::q", n);
      p_and_halo_ = Vector<double>("perf::p", n + halo);
      p_ = Kokkos::subview(p_and_halo_, std::pair<std::size_t, std::size_t>(0, n));
      send_ = Vector<double>("perf::send", system.rows.sent.extent(0));
      scalars_ = CusparseCg::first_scalars(exec);
      product_.emplace(libraries_->cusparse, describe(system.rows), algorithm, p_and_halo_, q_, &s()->one, &s()->zero);
    });
    // What is set up at the first calls cannot be captured.
    comm.together([&] {
      start();
      iterate();
      exec_.fence("perf: the first iteration of a peer");
    });
    if (!is_captured) return;
    comm.together([&] {
      one_.emplace(exec_, [this] { iterate(); });
      many_.emplace(exec_, [this] {
        for (int k = 0; k < iterations_of_graph; ++k) iterate();
      });
    });
  }

  int solve(double rtol, int max_iterations) override {
    start();
    int done = 0;
    if (rtol == 0) {
      for (; many_ && done + iterations_of_graph <= max_iterations; done += iterations_of_graph) many_->replay(exec_);
      for (; done < max_iterations; ++done) iterate_once();
      exec_.fence("perf: a solve of a peer");
      return done;
    }
    // (Sums of the host's, so that all ranks decide alike.)
    const double target = rtol * rtol * comm_.sum(residual_squared());
    do {
      iterate_once();
      ++done;
    } while (done < max_iterations && comm_.sum(residual_squared()) > target);
    return done;
  }

  // Public for the sake of nvcc, which takes no kernels of private functions.
  void pack() const {
    const auto sent = system_.rows.sent;
    const auto p = p_, send = send_;
    Kokkos::parallel_for(
        "perf::peer[pack]", Kokkos::RangePolicy<Exec>(exec_, 0, int(sent.extent(0))),
        KOKKOS_LAMBDA(int k) { send(k) = p(sent(k)); });
  }

 private:
  CusparseCgScalars* s() const { return scalars_.data(); }

  void start() const {
    Kokkos::deep_copy(exec_, system_.x, 0.0);
    Kokkos::deep_copy(exec_, r_, system_.b);
    Kokkos::deep_copy(exec_, p_, system_.b);
    dot(r_, r_, &s()->rr);
  }

  void iterate() const {
    const CublasHandle& cublas = libraries_->cublas;
    exchange();
    product_->enqueue();  // q := A p
    dot(p_, q_, &s()->pq);
    CusparseCg::set_alpha(exec_, s());
    cublas.axpy(&s()->alpha, p_, system_.x);
    cublas.axpy(&s()->minus_alpha, q_, r_);
    dot(r_, r_, &s()->rr_next);
    CusparseCg::set_beta(exec_, s());
    cublas.scale(&s()->beta, p_);
    cublas.axpy(&s()->one, r_, p_);
  }
  void iterate_once() const { one_ ? one_->replay(exec_) : iterate(); }

  void dot(const Vector<double>& x, const Vector<double>& y, double* result) const {
    libraries_->cublas.dot(x, y, result);
    check_nccl(ncclAllReduce(result, result, 1, ncclDouble, ncclSum, ranks_->get(), exec_.cuda_stream()),
               "ncclAllReduce");
  }

  /// The halo of p, behind p.
  void exchange() const {
    const cudaStream_t stream = exec_.cuda_stream();
    if (send_.extent(0) > 0) pack();
    check_nccl(ncclGroupStart(), "ncclGroupStart");
    for (const LocalRows::Message& from : system_.rows.from) {
      double* const to = p_and_halo_.data() + p_.extent(0) + from.begin;
      check_nccl(ncclRecv(to, std::size_t(from.count), ncclDouble, from.rank, ranks_->get(), stream), "ncclRecv");
    }
    for (const LocalRows::Message& to : system_.rows.to) {
      check_nccl(ncclSend(send_.data() + to.begin, std::size_t(to.count), ncclDouble, to.rank, ranks_->get(), stream),
                 "ncclSend");
    }
    check_nccl(ncclGroupEnd(), "ncclGroupEnd");
  }

  /// This rank's copy of r.r, over the number of ranks; waits.
  double residual_squared() const {
    CusparseCgScalars now;
    Kokkos::deep_copy(exec_, Kokkos::View<CusparseCgScalars, Kokkos::HostSpace>(&now), scalars_);
    exec_.fence("perf: the residual of a peer");
    return now.rr / comm_.size();
  }

  Exec exec_;
  const Communicator& comm_;
  const RanksPeerSystem& system_;
  std::shared_ptr<const NcclRanks> ranks_;
  std::optional<CudaLibraries> libraries_;
  Vector<double> r_, q_, p_and_halo_, p_, send_;
  Kokkos::View<CusparseCgScalars, Space> scalars_;
  std::optional<CusparseProduct> product_;
  std::optional<CapturedWork<Exec>> one_, many_;  // of one iteration, and of several
};

}  // namespace

std::vector<RanksPeerForm> nccl_peers(const Exec& exec, const Communicator& comm, const RanksPeerSystem& system) {
  std::vector<RanksPeerForm> forms;
  // By the first of them, for all: that takes NCCL most of a second.
  const auto shared = std::make_shared<std::shared_ptr<const NcclRanks>>();
  const std::pair<const char*, cusparseSpMVAlg_t> algorithms[] = {{"CSR, algorithm 1", CUSPARSE_SPMV_CSR_ALG1},
                                                                  {"CSR, algorithm 2", CUSPARSE_SPMV_CSR_ALG2}};
  for (const auto& [name, algorithm] : algorithms) {
    for (const bool is_captured : {true, false}) {
      const std::string launch =
          is_captured ? text("graph of ", NcclCg::iterations_of_graph, " iterations") : "call by call";
      forms.push_back({"nccl", text(name, ", ", is_captured ? "graph" : "call by call"), launch,
                       [&exec, &comm, &system, shared, its = algorithm, is_captured]() -> std::unique_ptr<RanksPeer> {
                         if (*shared == nullptr) *shared = std::make_shared<const NcclRanks>(comm);
                         return std::make_unique<NcclCg>(exec, comm, system, *shared, its, is_captured);
                       }});
    }
  }
  return forms;
}

}  // namespace ashlar::perf

#else

namespace ashlar::perf {
std::vector<RanksPeerForm> nccl_peers(const Exec&, const Communicator&, const RanksPeerSystem&) { return {}; }
}  // namespace ashlar::perf

#endif
