#include <cg_ranks/peers/peer.hpp>

#ifdef KOKKOS_ENABLE_CUDA

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/peer/peer_memory.hpp>
#include <ashlar/device/runtime/cuda_check.hpp>
#include <cg_ranks/peers/rank_team.hpp>
#include <cg_ranks/peers/sliced_rows.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ashlar::perf {

namespace {

constexpr int threads = 768, warps_of_block = threads / 32;
constexpr std::uint64_t patience_ns = 10'000'000'000;

/// An entry of p that another rank needs, and where its halo has it.
struct Send {
  int row;
  RankPacket* to;
};

/// What a solve has ended with, for the host.
struct Outcome {
  int iterations;
  unsigned has_failed;
};

/// What the kernel of a rank works on: sliced rows, what each warp sends of them, the halo that comes, and vectors.
struct CgOfRank {
  RankMeeting meeting;
  int num_rows, num_slices, num_inner;
  const int *slices, *begins, *columns;
  const double* values;
  const int* send_begins;  ///< of each warp of the grid
  const Send* sends;
  const RankPacket* halo;
  const double* b;
  double *x, *r, *p, *q;
  Outcome* outcome;
};

/// load(row) and then store(row, what that returned) for each row of the lane's, of which some are loaded at once: the
/// same rows each time, so that only p is read by other threads.
template <class Load, class Store>
__device__ void for_rows(const CgOfRank& cg, const Load& load, const Store& store) {
  constexpr int in_flight = 3;
  const int lane = threadIdx.x % 32, warp = (blockIdx.x * threads + threadIdx.x) / 32,
            warps = gridDim.x * warps_of_block;
  for (int i = warp; i < cg.num_slices; i += in_flight * warps) {
    int row[in_flight];
    decltype(load(0)) loaded[in_flight];
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      row[u] = i + u * warps < cg.num_slices ? cg.slices[i + u * warps] * 32 + lane : cg.num_rows;
    }
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      if (row[u] < cg.num_rows) loaded[u] = load(row[u]);
    }
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      if (row[u] < cg.num_rows) store(row[u], loaded[u]);
    }
  }
}

/// Row `lane` of the slice at a place in A p. Columns of other ranks, which outer slices alone have, are taken from
/// packets as these come.
template <bool is_outer>
__device__ double multiply(RankTeam& team, const CgOfRank& cg, int place, int lane) {
  constexpr int in_flight = is_outer ? 4 : 8;
  const int end = cg.begins[place + 1];
  double sum = 0;
  for (int k = cg.begins[place] + lane; k < end; k += 32 * in_flight) {
    double a[in_flight], x[in_flight];
    int column[in_flight];
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      const bool is_there = k + 32 * u < end;
      column[u] = is_there ? cg.columns[k + 32 * u] : 0;
      a[u] = is_there ? cg.values[k + 32 * u] : 0.0;
    }
#pragma unroll
    for (int u = 0; u < in_flight; ++u) x[u] = !is_outer || column[u] < cg.num_rows ? cg.p[column[u]] : 0.0;
    if constexpr (is_outer) {
      const std::uint32_t count = team.count_of_halo();
      team.wait_until([&] {
        bool are_there = true;
#pragma unroll
        for (int u = 0; u < in_flight; ++u) {
          if (column[u] < cg.num_rows) continue;
          are_there = receive(cg.halo + (column[u] - cg.num_rows), count, x[u]) && are_there;
        }
        return are_there;
      });
    }
#pragma unroll
    for (int u = 0; u < in_flight; ++u) sum += a[u] * x[u];
  }
  return sum;
}

/// q := A p; this thread's part of p.q.
__device__ double multiply_all(RankTeam& team, const CgOfRank& cg) {
  const int lane = threadIdx.x % 32, warp = (blockIdx.x * threads + threadIdx.x) / 32,
            warps = gridDim.x * warps_of_block;
  double pq = 0;
  const auto keep = [&](int place, double sum) {
    const int row = cg.slices[place] * 32 + lane;
    if (row >= cg.num_rows) return;
    cg.q[row] = sum;
    pq += cg.p[row] * sum;
  };
  int i = warp;
  for (; i < cg.num_inner; i += warps) keep(i, multiply<false>(team, cg, i, lane));
  for (; i < cg.num_slices; i += warps) keep(i, multiply<true>(team, cg, i, lane));
  return pq;
}

/// This warp's entries of p, to all who need them.
__device__ void send_halo(const RankTeam& team, const CgOfRank& cg) {
  const int lane = threadIdx.x % 32, warp = (blockIdx.x * threads + threadIdx.x) / 32;
  __syncwarp();
  for (int k = cg.send_begins[warp] + lane; k < cg.send_begins[warp + 1]; k += 32) {
    send(cg.sends[k].to, cg.p[cg.sends[k].row], team.count_of_halo());
  }
}

/// A whole solve from x = 0. `sums`: how many there have been before.
__global__ void __launch_bounds__(threads, 1)
    cg_kernel(const __grid_constant__ CgOfRank cg, double rtol, int max_iterations, std::uint32_t sums) {
  extern __shared__ double scratch[];
  RankTeam team(cg.meeting, sums);
  double rr = 0, alpha = 0, beta = 0;
  for_rows(
      cg, [&](int row) { return cg.b[row]; },
      [&](int row, double b) {
        cg.x[row] = 0;
        cg.p[row] = 0;
        cg.r[row] = b;
        rr += b * b;
      });
  rr = team.sum(rr, scratch);
  const double target = rtol * rtol * rr;
  int iteration = 0;
  while (iteration < max_iterations && rr > target && __syncthreads_or(team.has_failed()) == 0) {
    for_rows(
        cg,
        [&](int row) {
          return double3{cg.x[row], cg.r[row], cg.p[row]};
        },
        [&](int row, const double3& xrp) {
          cg.x[row] = xrp.x + alpha * xrp.z;
          cg.p[row] = xrp.y + beta * xrp.z;
        });
    send_halo(team, cg);
    team.barrier();
    alpha = rr / team.sum(multiply_all(team, cg), scratch);
    double rr_next = 0;
    for_rows(
        cg, [&](int row) { return cg.r[row] - alpha * cg.q[row]; },
        [&](int row, double r) {
          cg.r[row] = r;
          rr_next += r * r;
        });
    rr_next = team.sum(rr_next, scratch);
    beta = rr_next / rr;
    rr = rr_next;
    ++iteration;
  }
  for_rows(
      cg, [&](int row) { return cg.x[row] + alpha * cg.p[row]; }, [&](int row, double x) { cg.x[row] = x; });
  if (blockIdx.x == 0 && threadIdx.x == 0) cg.outcome->iterations = iteration;
  if (team.has_failed()) cg.outcome->has_failed = 1;
}

int attribute_of(const Exec& exec, cudaDeviceAttr attribute) {
  int value = 0;
  impl::cuda_check(cudaDeviceGetAttribute(&value, attribute, exec.cuda_device()), "cudaDeviceGetAttribute");
  return value;
}

class InKernelCg final : public RanksPeer {
 public:
  InKernelCg(const Exec& exec, const Communicator& comm, const RanksPeerSystem& system)
      : exec_(exec),
        comm_(comm),
        system_(system),
        blocks_(blocks_of_all(exec, comm)),
        sliced_(comm.together([&] { return make_sliced_rows(exec, system.rows); })),
        memory_(exec, comm.duplicate(), halo_offset() + sizeof(RankPacket) * std::size_t(system.rows.num_halo)) {
    comm.together([&] {
      const std::size_t n = system.b.extent(0);
      r_ = Vector<double>("perf::r", n);
      p_ = Vector<double>("perf::p", n);
      q_ = Vector<double>("perf::q", n);
      arrived_ = Kokkos::View<std::uint32_t, Space>("perf::arrived");
      outcome_ = Kokkos::View<Outcome, Kokkos::SharedHostPinnedSpace>("perf::outcome");
      make_sends();
    });
  }

  int solve(double rtol, int max_iterations) override {
    outcome_() = {};
    Kokkos::deep_copy(exec_, arrived_, 0u);
    cudaLaunchAttribute together{};
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
    cudaLaunchConfig_t launch{};
    launch.gridDim = dim3(blocks_);
    launch.blockDim = dim3(threads);
    launch.dynamicSmemBytes = sizeof(double) * std::size_t(32 + comm_.size() * blocks_);
    launch.stream = exec_.cuda_stream();
    launch.attrs = &together;
    launch.numAttrs = 1;
    impl::cuda_check(cudaSetDevice(exec_.cuda_device()), "cudaSetDevice");
    impl::cuda_check(cudaLaunchKernelEx(&launch, cg_kernel, work(), rtol, max_iterations, sums_), "cudaLaunchKernelEx");
    exec_.fence("perf: a solve of a peer");
    if (outcome_().has_failed != 0) {
      throw Error("in_kernel: the kernels of the ranks waited for each other in vain",
                  text("they gave up after ", patience_ns / 1'000'000'000, " s"),
                  "look whether another rank has ended");
    }
    sums_ += 1 + 2 * static_cast<std::uint32_t>(outcome_().iterations);
    return outcome_().iterations;
  }

 private:
  /// As many on each rank as the device with the fewest multiprocessors has of these.
  static int blocks_of_all(const Exec& exec, const Communicator& comm) {
    const PeersFound found = find_peer_memory(exec, comm);
    const int mine = comm.together([&] {
      if (!found.work) throw Error("in_kernel: no memory of each other", found.why, "give each rank a GPU of one host");
      if (comm.size() > RankMeeting::most_ranks) {
        throw Error(text("in_kernel: ", comm.size(), " ranks"), text("it is written for ", RankMeeting::most_ranks),
                    "start fewer");
      }
      if (attribute_of(exec, cudaDevAttrCooperativeLaunch) == 0 ||
          attribute_of(exec, cudaDevAttrComputeCapabilityMajor) < 7) {
        throw Error("in_kernel: no such kernels", "the device is too old for thread blocks that wait for each other",
                    "leave it out with --libraries ashlar,nccl");
      }
      return attribute_of(exec, cudaDevAttrMultiProcessorCount);
    });
    return -comm.max(-mine);
  }

  // What a rank's memory has for the others: a word that says who gave up, sums, the halo.
  static constexpr std::size_t sums_offset = 128;
  std::size_t halo_offset() const {
    return sums_offset + 2 * sizeof(RankPacket) * std::size_t(comm_.size()) * std::size_t(blocks_);
  }
  RankPacket* packets_of(int rank, std::size_t offset) const {
    return reinterpret_cast<RankPacket*>(memory_.of(rank) + offset);
  }

  /// Each entry is sent by the warp whose row it is.
  void make_sends() {
    const auto sent = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), system_.rows.sent);
    const auto places = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sliced_.places);
    exec_.fence("perf::make_sends");
    const std::size_t warps = std::size_t(blocks_) * warps_of_block;
    std::vector<std::vector<Send>> of_warps(warps);
    for (const LocalRows::Message& to : system_.rows.to) {
      RankPacket* const halo = packets_of(to.rank, halo_offset()) + to.begin_there;
      for (std::int64_t k = 0; k < to.count; ++k) {
        const int row = sent(to.begin + k);
        of_warps[std::size_t(places(row / SlicedRows::rows_of_slice)) % warps].push_back({row, halo + k});
      }
    }
    send_begins_ = Kokkos::View<int*, Space>("perf::send_begins", warps + 1);
    sends_ = Kokkos::View<Send*, Space>("perf::sends", sent.extent(0));
    const auto begins = Kokkos::create_mirror_view(send_begins_);
    const auto sends = Kokkos::create_mirror_view(sends_);
    int end = 0;
    for (std::size_t warp = 0; warp < warps; ++warp) {
      begins(warp) = end;
      for (const Send& send : of_warps[warp]) sends(end++) = send;
    }
    begins(warps) = end;
    Kokkos::deep_copy(exec_, send_begins_, begins);
    Kokkos::deep_copy(exec_, sends_, sends);
    exec_.fence("perf::make_sends");
  }

  CgOfRank work() const {
    CgOfRank cg{};
    cg.meeting.rank = comm_.rank();
    cg.meeting.num_ranks = comm_.size();
    cg.meeting.blocks = blocks_;
    cg.meeting.patience_ns = patience_ns;
    for (int rank = 0; rank < comm_.size(); ++rank) {
      cg.meeting.sums[rank] = packets_of(rank, sums_offset);
      cg.meeting.gave_up[rank] = reinterpret_cast<std::uint32_t*>(memory_.of(rank));
    }
    cg.meeting.arrived = arrived_.data();
    cg.num_rows = static_cast<int>(system_.rows.num_rows);
    cg.num_slices = static_cast<int>(sliced_.slices.extent(0));
    cg.num_inner = sliced_.num_inner;
    cg.slices = sliced_.slices.data();
    cg.begins = sliced_.begins.data();
    cg.columns = sliced_.columns.data();
    cg.values = sliced_.values.data();
    cg.send_begins = send_begins_.data();
    cg.sends = sends_.data();
    cg.halo = packets_of(comm_.rank(), halo_offset());
    cg.b = system_.b.data();
    cg.x = system_.x.data();
    cg.r = r_.data();
    cg.p = p_.data();
    cg.q = q_.data();
    cg.outcome = outcome_.data();
    return cg;
  }

  Exec exec_;
  const Communicator& comm_;
  const RanksPeerSystem& system_;
  int blocks_;
  SlicedRows sliced_;
  PeerMemory memory_;
  Vector<double> r_, p_, q_;
  Kokkos::View<std::uint32_t, Space> arrived_;
  Kokkos::View<Outcome, Kokkos::SharedHostPinnedSpace> outcome_;
  Kokkos::View<int*, Space> send_begins_;
  Kokkos::View<Send*, Space> sends_;
  std::uint32_t sums_ = 0;
};

}  // namespace

std::vector<RanksPeerForm> in_kernel_peers(const Exec& exec, const Communicator& comm, const RanksPeerSystem& system) {
  return {{"in_kernel", "sliced ELL, one kernel", "one kernel",
           [&exec, &comm, &system] { return std::make_unique<InKernelCg>(exec, comm, system); }}};
}

}  // namespace ashlar::perf

#else

namespace ashlar::perf {
std::vector<RanksPeerForm> in_kernel_peers(const Exec&, const Communicator&, const RanksPeerSystem&) { return {}; }
}  // namespace ashlar::perf

#endif
