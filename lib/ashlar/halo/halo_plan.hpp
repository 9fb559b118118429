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

/// What goes from one rank to another for the block entries that it needs.
enum class HaloForm {
  automatic,   ///< for each pair of ranks the one of least cost
  packed,      ///< the entries needed, gathered into a buffer
  contiguous,  ///< all from the first to the last entry needed, copied as they lie in x
  whole,       ///< all that the rank has, copied as they lie in x
};

/// "automatic", "packed", ...
std::string_view to_string(HaloForm form);

struct HaloOptions {
  HaloForm form = HaloForm::automatic;
  /// The same on all ranks.
  HaloBuffers buffers = HaloBuffers::automatic;
  /// Of the kernel mode, and of kernels that iterate CG on several devices: how long one waits for another rank before
  /// it gives up.
  double time_out_seconds = default_time_out_seconds;
  /// Of the kernel mode: the longest message that comes as packets (ExchangeOptions::packet_bytes), of all entries from
  /// one neighbour, of all vectors. None: default_halo_packet_bytes.
  std::optional<std::int64_t> packet_bytes = std::nullopt;
  /// What `automatic` reckons with: bytes of a block entry (of all vectors), 1e9 bytes a second of a message and of the
  /// pass that packs, and the seconds to launch that pass.
  int entry_bytes = 8;
  double message_gb_s = 10;
  double pack_gb_s = 20;
  double pack_seconds = 5e-6;
};

/// The form for `needed` entries, of `span` from the first to the last, of `whole` that the rank has: options.form, and
/// where that is `automatic` the one of least time. A message takes its bytes over its bandwidth; a packed one a launch
/// and a pass besides. So entries are packed where those left out are worth the pass.
HaloForm choose_halo_form(std::int64_t needed, std::int64_t span, std::int64_t whole, const HaloOptions& options);

/// Which block entries of a distributed vector come from which rank, and which go to whom, for one pattern of needs:
/// good for any number of exchanges, of any type. Immutable.
///
/// The halo is an array of block entries, by source rank, and within that in ascending order; it may hold entries that
/// nobody needs (contiguous, whole).
class HaloPlan {
 public:
  /// What comes from, and goes to, one rank.
  struct Neighbour {
    int rank = 0;
    HaloForm form = HaloForm::packed;  ///< of what comes; the sender's list `to` holds the form of what goes
    /// What comes: halo entries [begin, begin + count).  What goes: entries send_index[begin, begin + count) of this
    /// rank's part where packed; else entries [first, first + count) of this rank's part.
    std::int64_t begin = 0, count = 0;
    std::int64_t first = 0;  ///< of a contiguous or whole message: its first entry, in the source rank's part
  };

  HaloPlan() = default;

  /// Collective. `needed`: the global block entries that this rank needs of others, ascending, each once, none its own.
  /// `partition` is the partition of these entries, such as the columns of a matrix. Its rows may have another one.
  ///
  /// Throws   on all ranks together (Communicator::together): ArgumentError where a list is out of order, out of range,
  ///          or names own entries, or where the partition has another number of parts than there are ranks or differs
  ///          between ranks.
  HaloPlan(const Communicator& comm, const RowPartition& partition, std::span<const std::int64_t> needed,
           const HaloOptions& options = {});

  /// Collective. From lists of the caller's own: `send` has for each rank the own entries that go there, in that order;
  /// `receive` how many come from each rank. A list of entries one after another goes as a span, others are packed.
  /// There are no global numbers, so position() has no answers.
  ///
  /// Throws   as the constructor: ArgumentError where there is not one list for each rank, where one names entries
  ///          that are not there, where a rank is its own neighbour, where two ranks do not agree on a length, or where
  ///          kernels are to wait for no time (HaloOptions::time_out_seconds), or packet_bytes is negative.
  static HaloPlan from_lists(const Communicator& comm, std::int64_t num_own, std::span<const std::int64_t> receive,
                             const std::vector<std::vector<std::int64_t>>& send,
                             HaloBuffers buffers = HaloBuffers::automatic,
                             double time_out_seconds = default_time_out_seconds,
                             std::optional<std::int64_t> packet_bytes = std::nullopt);

  /// Where in the halo the global entry `entry`, which was needed, is.
  ///
  /// Throws   ArgumentError for another entry.
  std::int64_t position(std::int64_t entry) const;

  /// Block entries of the halo, and of this rank's own part.
  std::int64_t num_entries() const { return num_entries_; }
  std::int64_t num_own() const { return num_own_; }

  /// By rank, ascending; only those with whom something is exchanged.
  const std::vector<Neighbour>& from() const { return from_; }
  const std::vector<Neighbour>& to() const { return to_; }
  /// Own entries that are packed, for all neighbours side by side, as local numbers.
  const std::vector<std::int64_t>& send_index() const { return send_index_; }

  /// What its exchanges are to take: HaloOptions::buffers.
  HaloBuffers buffers() const { return buffers_; }
  /// HaloOptions::time_out_seconds.
  double time_out_seconds() const { return time_out_seconds_; }
  /// HaloOptions::packet_bytes.
  std::optional<std::int64_t> packet_bytes() const { return packet_bytes_; }

  /// The ranks that made it.
  int rank() const { return rank_; }
  int num_ranks() const { return size_; }
  /// "rank 1 of 3: 8 entries of its own, 12 in (8 whole from 0, 4 packed from 2), 2 out (2 contiguous to 0)"
  std::string explain() const;

 private:
  // Where the entries needed of a rank begin in needed_, and how their numbers, or their places there where they are
  // packed, become places in the halo.
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
