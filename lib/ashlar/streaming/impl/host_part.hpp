#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/events/event.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <ashlar/streaming/impl/structure.hpp>
#include <ashlar/streaming/subdivision.hpp>
#include <ashlar/streaming/timeline.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// Entries of a vector, from the first to before the second.
using VectorRange = std::pair<std::int64_t, std::int64_t>;

/// The data that has to arrive for each of several pieces of work that begin one after another: `needed` is the range
/// of each piece's entries. The arrived data is always one range, gaps between pieces included; so there are up to two
/// ranges for a piece.
inline std::vector<std::vector<VectorRange>> arrivals_of(const std::vector<VectorRange>& needed) {
  std::vector<std::vector<VectorRange>> result;
  VectorRange arrived(0, 0);
  for (const VectorRange& range : needed) {
    auto& of_piece = result.emplace_back();
    if (range.first == range.second) continue;
    if (arrived.first == arrived.second) {
      of_piece.push_back(arrived = range);
      continue;
    }
    if (range.first < arrived.first) {
      of_piece.emplace_back(range.first, arrived.first);
      arrived.first = range.first;
    }
    if (range.second > arrived.second) {
      of_piece.emplace_back(arrived.second, range.second);
      arrived.second = range.second;
    }
  }
  return result;
}

/// The block rows that the host multiplies where they are, while the device works on the others.
///
/// The needed entries of x come to the host, and its part of y goes back, on an instance of its own: on the instance of
/// the subdivisions' copies they would wait behind those. With several pieces, each is multiplied as soon as its
/// entries of x have arrived, and its part of y goes back while the next is multiplied.
template <class HostMatrix, execution_space Exec>
class HostPart {
 public:
  using HostExec = Kokkos::DefaultHostExecutionSpace;

  /// `rows` are the block rows, multiplied in so many pieces; vectors have up to max_vectors columns of up to
  /// scalar_bytes an entry. Waits for `exec`.
  HostPart(const Exec& exec, const HostMatrix& matrix, const Subdivision& rows, const SpmvOptions& options,
           std::size_t scalar_bytes, int num_pieces = 1)
      : side_(Kokkos::Experimental::partition_space(exec, 1)[0]),
        num_cols_(matrix.num_cols()),
        rows_(rows.first_row * matrix.block_shape().rows, (rows.first_row + rows.num_rows) * matrix.block_shape().rows),
        max_vectors_(options.num_vectors),
        ready_(exec),
        done_(exec) {
    cut(exec, matrix, rows, SpmvPlan<HostMatrix>(host_, matrix, of_host(options)), num_pieces);
    const auto bytes = [&](const char* label, std::int64_t entries) {
      return Bytes(Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string(label)),
                   std::size_t(entries) * scalar_bytes * std::size_t(max_vectors_));
    };
    x_ = bytes("ashlar::streaming::x of the host", num_cols_);
    y_ = bytes("ashlar::streaming::y of the host", num_rows());
  }

  HostPart(const HostPart&) = delete;
  HostPart& operator=(const HostPart&) = delete;
  ~HostPart() { side_.fence("ashlar::streaming: end of the host's copies"); }

  /// Sends the host its entries of x, behind the work enqueued on `exec` so far; y has the part's rows.
  ///
  /// Throws   ArgumentError where there is no room for so many columns.
  template <class X, class Y, class Scalar>
  void send(const Exec& exec, const X& x, const Scalar& beta, const Y& y) {
    check_room(static_cast<int>(x.extent(1)));
    ready_.record(exec);
    ready_.wait(side_);
    for (Piece& piece : pieces_) {
      for (const VectorRange& columns : piece.arrive) {
        copy_rows(rows_of(on_host(x_, x, num_cols_), columns), rows_of(x, columns));
      }
      if (beta != Scalar(0)) copy_rows(rows_of(on_host(y_, y, num_rows()), piece.rows), rows_of(y, piece.rows));
      piece.arrived.record(side_);
    }
  }

  std::int64_t num_blocks(int piece) const { return pieces_[std::size_t(piece)].num_blocks; }

  /// The part's rows of a vector, or of vectors.
  template <class Y>
  auto rows_of(const Y& y) const {
    return rows_of(y, rows_);
  }

  /// Until all that was sent has arrived.
  void wait() const { side_.fence("ashlar::streaming: x for the host"); }

  /// y := alpha*A*x + beta*y for the rows of a piece, with the entries that were sent; y has the part's rows. Waits
  /// until the entries for this piece and the pieces before it have arrived, and returns when the host has multiplied.
  template <class X, class Y, class Scalar>
  void multiply(int piece, const Scalar& alpha, const X& x, const Scalar& beta, const Y& y,
                StreamTimeline<Exec>* timeline = nullptr) {
    const Piece& its = pieces_[std::size_t(piece)];
    its.arrived.wait();
    const auto multiply_and_wait = [&] {
      spmv(host_, its.plan, alpha, its.matrix, on_host(x_, x, num_cols_), beta,
           rows_of(on_host(y_, y, num_rows()), its.rows));
      host_.fence("ashlar::streaming: the host's product");
    };
    if (timeline == nullptr) {
      multiply_and_wait();
    } else {
      timeline->record_host(multiply_and_wait);
    }
  }

  /// Sends back the rows of a piece that the host has multiplied.
  template <class Y>
  void give_back(int piece, const Y& y) const {
    const VectorRange& rows = pieces_[std::size_t(piece)].rows;
    copy_rows(rows_of(y, rows), rows_of(on_host(y_, y, num_rows()), rows));
  }

  /// Work enqueued on `exec` from here on sees the returned parts in y.
  void finish(const Exec& exec) {
    done_.record(side_);
    done_.wait(exec);
  }

 private:
  using Bytes = Kokkos::View<std::byte*, typename HostMatrix::memory_space>;

  /// Block rows that are multiplied at a time.
  struct Piece {
    HostMatrix matrix;
    std::int64_t num_blocks;  // in its rows; the matrix has all
    SpmvPlan<HostMatrix> plan;
    VectorRange rows;                 // of the part
    std::vector<VectorRange> arrive;  // entries of x that it needs, and no piece before
    Event<Exec> arrived;              // these, and those of the pieces before
  };

  /// The kernel that was asked for is the device's, and so are its width and tiles.
  static SpmvOptions of_host(SpmvOptions options) {
    options.kernel = Kernel::automatic;
    options.width = options.tile_rows = 0;
    return options;
  }

  std::int64_t num_rows() const { return rows_.second - rows_.first; }

  void cut(const Exec& exec, const HostMatrix& matrix, const Subdivision& rows, const SpmvPlan<HostMatrix>& whole,
           int num_pieces) {
    const std::int64_t R = matrix.block_shape().rows;
    const auto row_ptr = range_of(matrix.graph().row_ptr(), rows.first_row, rows.num_rows + 1);
    std::vector<VectorRange> needed;
    for (Subdivision piece : subdivide(row_ptr, matrix.block_shape(), num_pieces)) {
      const VectorRange in_part(piece.first_row * R, (piece.first_row + piece.num_rows) * R);
      piece.first_row += rows.first_row;
      const HostMatrix some = rows_in_place(matrix, piece);
      pieces_.push_back(
          {some, piece.num_blocks, SpmvPlan<HostMatrix>(host_, some, whole), in_part, {}, Event<Exec>(exec)});
      needed.push_back(columns_of_blocks(matrix, piece));
    }
    const auto arrivals = arrivals_of(needed);
    for (std::size_t k = 0; k < pieces_.size(); ++k) pieces_[k].arrive = arrivals[k];
  }

  void check_room(int num_vectors) const {
    if (num_vectors <= max_vectors_) return;
    throw ArgumentError(text("streaming: a product with ", num_vectors, " vectors"),
                        text("the host's part has room for ", max_vectors_),
                        "set product.num_vectors to the most that products will have");
  }

  template <class View>
  static auto rows_of(const View& view, const VectorRange& range) {
    if constexpr (View::rank() == 1) {
      return Kokkos::subview(view, range);
    } else {
      return Kokkos::subview(view, range, Kokkos::ALL);
    }
  }

  /// A view like `like` of `rows` rows, in a buffer.
  template <class View>
  static auto on_host(const Bytes& buffer, const View& like, std::int64_t rows) {
    using Scalar = typename View::non_const_value_type;
    using Traits = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    auto* const data = reinterpret_cast<Scalar*>(buffer.data());
    if constexpr (View::rank() == 1) {
      return Kokkos::View<Scalar*, typename HostMatrix::memory_space, Traits>(data, rows);
    } else {
      using Layout = std::conditional_t<std::is_same_v<typename View::array_layout, Kokkos::LayoutLeft>,
                                        Kokkos::LayoutLeft, Kokkos::LayoutRight>;
      return Kokkos::View<Scalar**, Layout, typename HostMatrix::memory_space, Traits>(data, rows, like.extent(1));
    }
  }

  /// Columns go one by one where the entries of each lie together: some rows of all of them do not.
  template <class To, class From>
  void copy_rows(const To& to, const From& from) const {
    if constexpr (To::rank() == 2 && std::is_same_v<typename To::array_layout, Kokkos::LayoutLeft> &&
                  std::is_same_v<typename From::array_layout, Kokkos::LayoutLeft>) {
      for (std::size_t j = 0; j < to.extent(1); ++j) {
        Kokkos::deep_copy(side_, Kokkos::subview(to, Kokkos::ALL, j), Kokkos::subview(from, Kokkos::ALL, j));
      }
    } else {
      Kokkos::deep_copy(side_, to, from);
    }
  }

  /// The entries of x that blocks of some block rows multiply lie in this range.
  VectorRange columns_of_blocks(const HostMatrix& matrix, const Subdivision& rows) const {
    if (rows.num_blocks == 0) return {0, 0};
    const auto* const col_idx = matrix.graph().col_idx().data() + rows.first_block;
    Kokkos::MinMaxScalar<std::int64_t> found;
    Kokkos::parallel_reduce(
        "ashlar::streaming[columns]",
        Kokkos::RangePolicy<HostExec, Kokkos::IndexType<std::int64_t>>(host_, 0, rows.num_blocks),
        [=](std::int64_t k, Kokkos::MinMaxScalar<std::int64_t>& extremes) {
          extremes.min_val = std::min<std::int64_t>(extremes.min_val, col_idx[k]);
          extremes.max_val = std::max<std::int64_t>(extremes.max_val, col_idx[k]);
        },
        Kokkos::MinMax<std::int64_t>(found));
    const std::int64_t C = matrix.block_shape().cols;
    return {found.min_val * C, (found.max_val + 1) * C};
  }

  HostExec host_;
  Exec side_;
  std::vector<Piece> pieces_;
  std::int64_t num_cols_;
  VectorRange rows_;  // of vectors
  int max_vectors_;
  Bytes x_, y_;
  Event<Exec> ready_, done_;
};

}  // namespace ashlar::impl
