#pragma once

#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar {

/// The form of the message from one rank to another that carries the needed block entries.
enum class HaloForm {
  automatic,   ///< the cheapest form for each pair of ranks
  packed,      ///< the needed entries, gathered into a buffer
  contiguous,  ///< all entries from the first to the last needed one, copied from x
  whole,       ///< all entries of the rank, copied from x
};

/// "automatic", "packed", ...
std::string_view to_string(HaloForm form);

struct HaloOptions {
  HaloForm form = HaloForm::automatic;
  /// All ranks pass the same.
  HaloBuffers buffers = HaloBuffers::automatic;
  /// Kernel mode, and kernels that iterate CG on several devices: a kernel gives up after waiting so long for another
  /// rank.
  double time_out_seconds = default_time_out_seconds;
  /// Kernel mode: the longest message that comes as packets (ExchangeOptions::packet_bytes). It counts all entries from
  /// one neighbour, of all vectors. None: default_halo_packet_bytes.
  std::optional<std::int64_t> packet_bytes = std::nullopt;
  /// The cost model of `automatic`: bytes of a block entry (of all vectors), bandwidth of a message and of packing in
  /// 1e9 bytes a second, and seconds to launch the packing kernel.
  int entry_bytes = 8;
  double message_gb_s = 10;
  double pack_gb_s = 20;
  double pack_seconds = 5e-6;
};

/// The form for `needed` entries that span `span` entries of the `whole` rank: options.form, or for `automatic` the
/// fastest. Each message takes its bytes over its bandwidth; packing adds a launch and a pass. So entries are packed if
/// leaving out the others saves more than the pass costs.
HaloForm choose_halo_form(std::int64_t needed, std::int64_t span, std::int64_t whole, const HaloOptions& options);

/// The block entries of a distributed vector that each rank sends to and receives from other ranks, for one set of
/// needed entries. A plan serves any number of exchanges, of any scalar type. Immutable.
///
/// The halo is an array of block entries, by source rank, and within a rank in ascending order. It may hold entries
/// that this rank does not need (contiguous, whole).
class HaloPlan {
 public:
  /// The message from or to one rank.
  struct Neighbour {
    int rank = 0;
    HaloForm form = HaloForm::packed;  ///< of this message: in from() of the received one, in to() of the sent one
    /// In from(): halo entries [begin, begin + count). In to(): entries send_index[begin, begin + count) of this rank's
    /// part if packed, else entries [first, first + count) of it.
    std::int64_t begin = 0, count = 0;
    std::int64_t first = 0;  ///< first entry of a contiguous or whole message, in the part of its sender
  };

  HaloPlan() = default;

  /// Collective. `needed`: the global block entries that this rank needs from other ranks, ascending, each once, none
  /// of its own. `partition` is the partition of these entries, such as the columns of a matrix; rows may have another
  /// one.
  ///
  /// Throws   on all ranks together (Communicator::together): ArgumentError if a list is out of order or out of range,
  ///          or names own entries, or if the partition has another number of parts than there are ranks or differs
  ///          between ranks.
  HaloPlan(const Communicator& comm, const RowPartition& partition, std::span<const std::int64_t> needed,
           const HaloOptions& options = {});

  /// Collective. Makes a plan from the caller's lists: `send` has for each rank the own entries to send, in that order;
  /// `receive` has the number of entries from each rank. Consecutive entries go as a contiguous message, others are
  /// packed. There are no global numbers, so position() always throws.
  ///
  /// Throws   as the constructor: ArgumentError if there is not one list for each rank, a list names entries that do
  ///          not exist, a rank is its own neighbour, two ranks do not agree on a length, time_out_seconds is not
  ///          positive, or packet_bytes is negative.
  static HaloPlan from_lists(const Communicator& comm, std::int64_t num_own, std::span<const std::int64_t> receive,
                             const std::vector<std::vector<std::int64_t>>& send,
                             HaloBuffers buffers = HaloBuffers::automatic,
                             double time_out_seconds = default_time_out_seconds,
                             std::optional<std::int64_t> packet_bytes = std::nullopt);

  /// The position in the halo of a needed global entry.
  ///
  /// Throws   ArgumentError for an entry that was not needed.
  std::int64_t position(std::int64_t entry) const;

  /// The numbers of block entries in the halo and in this rank's own part.
  std::int64_t num_entries() const { return num_entries_; }
  std::int64_t num_own() const { return num_own_; }

  /// The neighbours, in ascending order of ranks.
  const std::vector<Neighbour>& from() const { return from_; }
  const std::vector<Neighbour>& to() const { return to_; }
  /// The packed own entries for all neighbours, consecutively, as local numbers.
  const std::vector<std::int64_t>& send_index() const { return send_index_; }

  /// HaloOptions::buffers.
  HaloBuffers buffers() const { return buffers_; }
  /// HaloOptions::time_out_seconds.
  double time_out_seconds() const { return time_out_seconds_; }
  /// HaloOptions::packet_bytes.
  std::optional<std::int64_t> packet_bytes() const { return packet_bytes_; }

  /// The rank that holds this plan, of so many.
  int rank() const { return rank_; }
  int num_ranks() const { return size_; }
  /// "rank 1 of 3: 8 entries of its own, 12 in (8 whole from 0, 4 packed from 2), 2 out (2 contiguous to 0)"
  std::string explain() const;

 private:
  // The needed entries of one rank: where they begin in needed_, and the number to subtract from their global numbers,
  // or from their positions if packed, to get positions in the halo.
  struct Piece {
    std::int64_t first_needed, first_number;
  };

  std::vector<Neighbour> from_, to_;
  std::vector<std::int64_t> send_index_;
  std::vector<std::int64_t> needed_;
  std::vector<Piece> pieces_;  // one for each of from_
  std::int64_t num_entries_ = 0, num_own_ = 0;
  int rank_ = 0, size_ = 1;
  HaloBuffers buffers_ = HaloBuffers::automatic;
  double time_out_seconds_ = default_time_out_seconds;
  std::optional<std::int64_t> packet_bytes_;
};

}  // namespace ashlar
