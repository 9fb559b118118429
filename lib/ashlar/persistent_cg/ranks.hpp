#pragma once

#include <ashlar/device/packets/packet.hpp>
#include <cstdint>
#include <string>

// What the kernels of several devices share that iterate CG together (of_ranks.hpp).

namespace ashlar {

/// What the kernels of all ranks have between them, as that of one rank sees it: an argument of the kernel. All that it
/// points to is memory of devices.
template <class Value>
struct CgRanks {
  static constexpr int most_ranks = 8;
  static constexpr int most_sums = 4;  ///< at a time

  /// A block entry of p that a neighbour needs.
  struct Send {
    Packet* to = nullptr;  ///< in the neighbour's halo: a packet for each entry of the block
    std::int32_t entry = 0;
  };

  /// A block row with blocks in others' columns, and which those are.
  struct OtherRow {
    std::int32_t row = 0, begin = 0, end = 0;
  };

  int num_ranks = 1, rank = 0;
  int first_block[most_ranks + 1] = {};  ///< thread blocks of the ranks before, and of all
  Packet* sums[most_ranks] =
      {};  ///< by rank: packets of a sum and of the next: each of most_sums for each thread block
  SharedFlag* gave_up[most_ranks] = {};  ///< by rank: raised if a thread has reached the time limit
  std::uint32_t* count = nullptr;        ///< of sums so far, from one kernel to the next

  const Send* sends = nullptr;  ///< to all neighbours, ascending by block entries
  std::int32_t num_sends = 0;
  const Packet* halo = nullptr;  ///< of this rank: a packet for each entry, by block entries

  // Blocks in others' columns: CSR by blocks of all of this rank's rows, columns as the halo numbers them.
  const std::int32_t* row_begin = nullptr;  ///< null: no row has any
  const std::int32_t* col_idx = nullptr;
  const Value* values = nullptr;
  const OtherRow* other_rows = nullptr;  ///< all that have any, those with most blocks first
  std::int32_t num_other_rows = 0;
};

/// Where the ranks find each other's memory whose kernels iterate as one.
template <class Value>
class CgRendezvous {
 public:
  virtual ~CgRendezvous() = default;

  virtual int num_ranks() const = 0;
  /// A kernel gives up if it waits longer for another rank's: HaloOptions::time_out_seconds.
  virtual double time_out_seconds() const = 0;

  /// Collective. `thread_blocks` is the size of this rank's kernel, 0 if it has none; `device` names the rank's device
  /// on its host. Returns an argument of the kernel in the device's memory, valid until the next connect() or the end
  /// of the rendezvous. Returns null if a rank has no kernel, if two ranks share a device, or if ranks share no memory:
  /// why_not() says which.
  virtual const CgRanks<Value>* connect(int thread_blocks, const std::string& device) = 0;
  virtual std::string why_not() const = 0;

  /// A kernel of this rank gave up: the next connect() makes the shared memory again.
  virtual void invalidate() = 0;
};

}  // namespace ashlar
