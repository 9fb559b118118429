#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <any>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/lists.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/peer/peer_memory.hpp>
#include <ashlar/device/packets/packet.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/persistent_cg/ranks.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace ashlar {

/// This rank's blocks in remote columns: `matrix` has the block rows that have any, whose numbers `rows` lists in
/// ascending order, and the entries of the halo as its block columns.
template <class Matrix>
struct CgRemoteBlocks {
  Kokkos::View<const typename Matrix::ordinal_type*, typename Matrix::memory_space> rows;
  Matrix matrix;
};

namespace impl {

/// For a matrix that stores only the block rows `rows`, ascending: the begin of each of all rows, and the end of the
/// last; missing rows are empty. Waits for `exec`.
template <class Exec, class Rows, class RowPtr>
Kokkos::View<typename RowPtr::non_const_value_type*, typename RowPtr::memory_space> row_begins_of_all(
    const Exec& exec, std::int64_t num_rows, const Rows& rows, const RowPtr& row_ptr) {
  using Offset = typename RowPtr::non_const_value_type;
  const Kokkos::View<Offset*, typename RowPtr::memory_space> begins(
      Kokkos::view_alloc(exec, "ashlar::persistent_cg::row_begins"), static_cast<std::size_t>(num_rows) + 1);
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(
      "ashlar::persistent_cg[row_lengths]", Policy(exec, 0, static_cast<std::int64_t>(rows.extent(0))),
      KOKKOS_LAMBDA(std::int64_t i) { begins(rows(i)) = row_ptr(i + 1) - row_ptr(i); });
  Kokkos::parallel_scan(
      "ashlar::persistent_cg[row_begins]", Policy(exec, 0, num_rows + 1),
      KOKKOS_LAMBDA(std::int64_t i, Offset & begin, bool is_final) {
        const Offset length = begins(i);
        if (is_final) begins(i) = begin;
        begin += length;
      });
  exec.fence("ashlar::persistent_cg: row begins");
  return begins;
}

/// The rendezvous through peer memory: the packets of sums and of the halo lie in memory that all ranks reach. It
/// serves one solve after another, not two simultaneously.
///
/// Memory   reached by other ranks: a flag, raised when a kernel gave up; the packets of two sums; the packets of the
///          halo. On this rank alone: 4 bytes a block row and 12 more for each that has remote blocks, 16 for each
///          block entry that is sent.
template <class Value, class Exec>
class PeerRendezvous final : public CgRendezvous<Value> {
 public:
  template <class Matrix>
  PeerRendezvous(const Exec& exec, const Communicator& comm, const HaloPlan& halo, int block_size,
                 const std::optional<CgRemoteBlocks<Matrix>>& remote)
      : exec_(exec), comm_(comm.duplicate()), halo_(halo), block_size_(block_size), keeps_(remote) {
    if (!remote) return;
    const auto& [rows, matrix] = *remote;
    if constexpr (std::is_same_v<Value, typename Matrix::scalar_type> &&
                  std::is_same_v<std::int32_t, typename Matrix::ordinal_type> &&
                  std::is_same_v<std::int32_t, typename Matrix::offset_type>) {
      row_begin_ = row_begins_of_all(exec, halo.num_own(), rows, matrix.graph().row_ptr());
      mine_.row_begin = row_begin_.data();
      mine_.col_idx = matrix.graph().col_idx().data();
      mine_.values = matrix.values().data();
      other_rows_ =
          view_from(exec_, "ashlar::distributed::cg_rendezvous", longest_first(rows, matrix.graph().row_ptr()));
      mine_.other_rows = other_rows_.data();
      mine_.num_other_rows = static_cast<std::int32_t>(other_rows_.size());
    }
  }

  int num_ranks() const override { return comm_.size(); }
  double time_out_seconds() const override { return halo_.time_out_seconds(); }
  std::string why_not() const override { return why_not_; }

  void invalidate() override { is_valid_ = false; }
  std::uint64_t generation() const override { return generation_; }

  const CgRanks<Value>* connect(int thread_blocks, const std::string& device) override {
    why_not_.clear();
    const std::vector<int> blocks = comm_.all_gather(thread_blocks);
    const std::vector<std::string> devices = comm_.all_gather(device);
    for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
      if (blocks[rank] == 0) why_not_ = text("rank ", rank, " has none");
      for (std::size_t other = 0; other < rank && blocks[rank] > 0; ++other) {
        if (devices[other] == devices[rank]) why_not_ = text("ranks ", other, " and ", rank, " have one device");
      }
      if (!why_not_.empty()) return nullptr;
    }
    if (comm_.size() > CgRanks<Value>::most_ranks) {
      why_not_ = text("more than ", CgRanks<Value>::most_ranks, " ranks");
      return nullptr;
    }
    const bool all_valid = comm_.max(is_valid_ ? 0 : 1) == 0;
    if (memory_ && blocks == blocks_ && all_valid) return &ranks_;
    memory_.reset();
    ++generation_;
    is_valid_ = true;
    blocks_ = blocks;
    try {
      make(blocks);
    } catch (const std::exception& error) {  // on all ranks together, but of another type on the one that failed
      memory_.reset();
      why_not_ = error.what();
      return nullptr;
    }
    return &ranks_;
  }

 private:
  using Space = typename Exec::memory_space;
  template <class Item>
  using List = Kokkos::View<Item*, Space>;
  using Ranks = CgRanks<Value>;
  using Send = typename Ranks::Send;
  using OtherRow = typename Ranks::OtherRow;

  /// These rows, of which the i-th has blocks row_ptr[i] to row_ptr[i + 1] - 1.
  template <class Rows, class RowPtr>
  static std::vector<OtherRow> longest_first(const Rows& rows, const RowPtr& row_ptr) {
    const auto row = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rows);
    const auto begin = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), row_ptr);
    std::vector<OtherRow> result;
    for (std::size_t i = 0; i < row.extent(0); ++i) {
      result.push_back({static_cast<std::int32_t>(row(i)), begin(i), begin(i + 1)});
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const OtherRow& a, const OtherRow& b) { return a.end - a.begin > b.end - b.begin; });
    return result;
  }

  void make(const std::vector<int>& blocks) {
    Ranks ranks = mine_;
    ranks.num_ranks = comm_.size();
    ranks.rank = comm_.rank();
    for (int rank = 0; rank < ranks.num_ranks; ++rank) {
      ranks.first_block[rank + 1] = ranks.first_block[rank] + blocks[std::size_t(rank)];
    }
    const std::size_t flag = sizeof(SharedFlag),
                      sums = sizeof(Packet) * 2 * Ranks::most_sums * std::size_t(ranks.first_block[ranks.num_ranks]),
                      halo = sizeof(Packet) * std::size_t(halo_.num_entries() * block_size_);
    memory_ = std::make_unique<PeerMemory>(exec_, comm_.duplicate(), flag + sums + halo);
    const auto packets = [&](int rank, std::size_t offset) {
      return reinterpret_cast<Packet*>(memory_->of(rank) + offset);
    };
    for (int rank = 0; rank < ranks.num_ranks; ++rank) {
      ranks.gave_up[rank] = reinterpret_cast<SharedFlag*>(memory_->of(rank));
      ranks.sums[rank] = packets(rank, flag);
    }
    ranks.halo = packets(ranks.rank, flag + sums);

    // Each tells those who send to it where.
    std::vector<std::vector<std::int64_t>> begins(std::size_t(ranks.num_ranks));
    for (const HaloPlan::Neighbour& from : halo_.from()) begins[std::size_t(from.rank)] = {from.begin};
    const auto there = comm_.all_to_all(begins);
    comm_.together([&] {
      std::vector<Send> sends;
      for (const HaloPlan::Neighbour& to : halo_.to()) {
        Packet* const first = packets(to.rank, flag + sums) + there[std::size_t(to.rank)].at(0) * block_size_;
        for (std::int64_t k = 0; k < to.count; ++k) {
          const std::int64_t entry =
              to.form == HaloForm::packed ? halo_.send_index()[std::size_t(to.begin + k)] : to.first + k;
          sends.push_back({first + k * block_size_, static_cast<std::int32_t>(entry)});
        }
      }
      std::stable_sort(sends.begin(), sends.end(), [](const Send& a, const Send& b) { return a.entry < b.entry; });
      sends_ = view_from(exec_, "ashlar::distributed::cg_rendezvous", sends);
      ranks.sends = sends_.data();
      ranks.num_sends = static_cast<std::int32_t>(sends.size());
      count_ = List<std::uint32_t>("ashlar::persistent_cg::count", 1);
      ranks.count = count_.data();
      ranks_ = ranks;
      exec_.fence("ashlar::persistent_cg: the rendezvous");
    });
    comm_.barrier();  // nobody writes to what another one has yet to make
  }

  Exec exec_;
  Communicator comm_;
  HaloPlan halo_;
  int block_size_;
  std::any keeps_;  // the remote blocks, whose arrays the kernels read
  Ranks mine_;
  List<std::int32_t> row_begin_;
  List<OtherRow> other_rows_;
  bool is_valid_ = true;
  std::uint64_t generation_ = 0;
  std::vector<int> blocks_;
  std::unique_ptr<PeerMemory> memory_;
  List<Send> sends_;
  List<std::uint32_t> count_;
  Ranks ranks_;
  std::string why_not_;
};

}  // namespace impl

/// Collective. The rendezvous of the ranks of `comm`, whose kernels iterate on vectors with this halo, of block entries
/// of `block_size` entries.
///
/// Memory   connect() allocates what the ranks share, on the device of `exec`; all ranks destroy it in the same order.
template <class Value, class Exec, class Matrix = BcsrMatrix<Value>>
std::shared_ptr<CgRendezvous<Value>> cg_rendezvous(const Exec& exec, const Communicator& comm, const HaloPlan& halo,
                                                   int block_size,
                                                   const std::optional<CgRemoteBlocks<Matrix>>& remote = {}) {
  return std::make_shared<impl::PeerRendezvous<Value, Exec>>(exec, comm, halo, block_size, remote);
}

}  // namespace ashlar
