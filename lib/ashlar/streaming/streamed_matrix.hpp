#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/blas1/local_space.hpp>
#include <ashlar/device/events/event.hpp>
#include <ashlar/device/memory/available_memory.hpp>
#include <ashlar/spmv/plan.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <ashlar/streaming/impl/division.hpp>
#include <ashlar/streaming/impl/host_part.hpp>
#include <ashlar/streaming/impl/measure.hpp>
#include <ashlar/streaming/impl/measure_host.hpp>
#include <ashlar/streaming/impl/ring.hpp>
#include <ashlar/streaming/impl/structure.hpp>
#include <ashlar/streaming/options.hpp>
#include <ashlar/streaming/planner.hpp>
#include <ashlar/streaming/subdivision.hpp>
#include <ashlar/streaming/timeline.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ashlar {

template <bcsr_matrix HostMatrix>
class FileMatrix;

/// The host's memory that the device copies from at full speed, beside its work; plain memory where there is no device.
using PinnedSpace = Kokkos::SharedHostPinnedSpace;

/// A matrix in the host's memory, or in a file, that is multiplied on the device, where there is too little memory for
/// it: it is cut into subdivisions of whole block rows, which go through a ring of buffers while products with the ones
/// before run.
///
/// As a linear operator: y := A x. Every row gets the bits that the product with the whole matrix on the device gives,
/// for every number of subdivisions and buffers; those that the host multiplies (host_share) get the bits of the host's
/// product.
///
/// Matrix   the type of the matrix as it would be on the device; `host_type` is the same in pinned host memory, into
///          which copy_to<PinnedSpace>() brings a matrix from anywhere, or for a host's products the type itself. A
///          `file_type` stays in its file, which threads read ahead into two pieces of about 16 MiB of pinned memory
///          each; nobody changes it meanwhile.
/// Memory   estimate() returns its size, all of it allocated by the constructor; the limit holds for it and x and y
///          together. Shares the data of the host's matrix. If host and device are one memory, nothing is copied:
///          products are by subdivision only, and explain() says so; data of a file is read to the place where it is
///          multiplied.
/// Async    the constructor waits for `exec`, and reads the host's row pointers then. Products are enqueued on the
///          given instance, copies on the constructor's; they wait for each other by events, and the host for neither
///          (if the backend has no events: Event). With a share of its own the host multiplies while the device works,
///          and a product returns when the host has finished. A product of a file returns when the file has been read,
///          since products start behind the reading. One instance at a time makes products, except in apply_repeated().
///          The host's values are read until products have ended, and for the next product beyond that: to change them,
///          wait, change them, and call values_changed().
/// Throws   ArgumentError, MemoryError (with the least limit that would do) before anything is allocated;
///          BlockSizeError and what else plans throw. Products of a file throw FileError where it is damaged or cannot
///          be read: y then holds nothing.
/// Source   Fagerlund, Kitayama, Hashimoto & Okuda 2014.
template <bcsr_matrix Matrix, execution_space Exec = typename Matrix::memory_space::execution_space>
class StreamedMatrix {
 public:
  using host_type = std::conditional_t<is_gpu_v<Exec>, typename Matrix::template in_space<PinnedSpace>, Matrix>;
  using file_type = FileMatrix<host_type>;  ///< <ashlar/streaming/file_matrix.hpp>
  static constexpr bool has_one_memory = std::is_same_v<Matrix, host_type>;
  static_assert(
      has_one_memory != is_gpu_v<Exec>,
      "ashlar::StreamedMatrix: matrices are streamed to a GPU's own memory, or multiplied in place where there "
      "is none");
  static_assert(reachable_from<Exec, typename Matrix::values_view>,
                "ashlar::StreamedMatrix: the matrix on the device must be reachable from the execution space");

  /// Products on `exec` or instances like it, copies on `copy_exec`, another instance.
  StreamedMatrix(const Exec& exec, const Exec& copy_exec, host_type matrix, const StreamingOptions& options = {})
      : StreamedMatrix(exec, copy_exec, std::move(matrix), options, nullptr) {}
  StreamedMatrix(const Exec& exec, const Exec& copy_exec, const file_type& matrix, const StreamingOptions& options = {})
      : StreamedMatrix(exec, copy_exec, matrix.without_blocks(), options, matrix.file()) {}

  /// The same with copies on an instance of its own.
  StreamedMatrix(const Exec& exec, host_type matrix, const StreamingOptions& options = {})
      : StreamedMatrix(exec, Kokkos::Experimental::partition_space(exec, 1)[0], std::move(matrix), options) {}
  StreamedMatrix(const Exec& exec, const file_type& matrix, const StreamingOptions& options = {})
      : StreamedMatrix(exec, Kokkos::Experimental::partition_space(exec, 1)[0], matrix, options) {}

  StreamedMatrix(StreamedMatrix&&) noexcept = default;
  StreamedMatrix& operator=(StreamedMatrix&&) = delete;  // copies under way read what would be let go of

  /// The memory that streaming `matrix` would take; allocates nothing on the device. Reads the row pointers
  /// immediately.
  ///
  /// Throws   as the constructor does.
  static StreamingEstimate estimate(const host_type& matrix, const StreamingOptions& options = {}) {
    return Division(matrix, options, false).estimate();
  }
  static StreamingEstimate estimate(const file_type& matrix, const StreamingOptions& options = {}) {
    return Division(matrix.without_blocks(), options, true).estimate();
  }

  /// How `options` divide the work with `matrix`: for planning. Reads the row pointers immediately.
  ///
  /// Throws   as the constructor does.
  template <class Source>
  static impl::StreamedWork work(const Source& matrix, const StreamingOptions& options) {
    return planning(matrix, options)(options);
  }

  /// work() as a function of the options, for those that differ from `options` in how they divide the matrix: what does
  /// not depend on that is found once. Shares the matrix, a host_type or a file_type.
  template <class Source>
  static auto planning(const Source& matrix, const StreamingOptions& options) {
    constexpr bool from_file = std::is_same_v<Source, file_type>;
    const host_type structure = [&] {
      if constexpr (from_file) {
        return matrix.without_blocks();
      } else {
        return matrix;
      }
    }();
    return [structure, invariants = Division::invariants_of(structure, options)](const StreamingOptions& candidate) {
      return Division(structure, candidate, from_file, invariants).work();
    };
  }

  const StreamingEstimate& estimate() const { return estimate_; }
  /// In the order in which they are multiplied; those that stay on the device are the first, as one.
  const std::vector<Subdivision>& subdivisions() const { return subdivisions_; }
  int num_subdivisions() const { return estimate_.num_subdivisions; }
  /// The host's matrix; for a file, without its blocks: FileMatrix::without_blocks().
  const host_type& matrix() const { return host_; }
  /// That multiplies on the device.
  Kernel kernel() const { return kernel_; }
  std::int64_t num_rows() const { return host_.num_rows(); }
  std::int64_t num_cols() const { return host_.num_cols(); }

  /// True if subdivisions come to the device, and go: not where host and device are one memory, unless from a file.
  bool copies() const { return Division::comes(options_, is_from_file()); }

  LocalSpace space() const { return LocalSpace(num_rows()); }
  /// True if the host never waits: where it multiplies no share, reads no file, and there is a device.
  bool is_stream_ordered() const { return is_gpu_v<Exec> && !host_part_ && !is_from_file(); }
  /// The memory held, without the caller's vectors. For a file the host holds the row pointers; the pieces that are
  /// read ahead are not counted.
  HeldBytes bytes() const {
    const std::uint64_t device = estimate_.device_bytes() - estimate_.vector_bytes;
    if (is_from_file()) {
      return {device, (std::uint64_t(host_.num_block_rows()) + 1) * sizeof(typename Matrix::offset_type)};
    }
    if (!copies()) return held_bytes(host_);
    return {device, std::uint64_t(spmv_traffic_bytes(host_, true, options_.product.mode, 0))};
  }

  /// The fewest bytes of device memory that a product moves; those over the link are estimate().sent_bytes.
  std::int64_t traffic_bytes() const { return spmv_traffic_bytes(host_, true, options_.product.mode); }

  /// The subdivisions, where they go, and how they are multiplied: for people.
  std::string explain() const;

  /// y := A x. x and y are vectors or multi-vectors as spmv() takes them.
  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    apply(exec, 1, x, 0, y);
  }

  /// y := alpha*A*x + beta*y, each subdivision once; for multi-vectors it is sent once for all of them.
  ///
  /// Traffic  estimate().sent_bytes over the link, less what the buffers still hold.
  template <class X, class Y>
  void apply(const Exec& exec, const typename X::non_const_value_type& alpha, const X& x,
             const typename X::non_const_value_type& beta, const Y& y) const {
    const Kokkos::Profiling::ScopedRegion region("ashlar::streaming::apply");
    check(x, y);
    if (alpha == typename X::non_const_value_type(0)) return impl::scale(exec, beta, y);
    if (host_part_) host_part_->send(exec, x, beta, host_part_->rows_of(y));
    const auto finish = [&] {  // also if something fails: what is on its way reads x, and writes y
      if (host_part_) host_part_->finish(exec);
    };
    try {
      stream(
          exec,
          [&](const Part& part, const Subdivision& rows) {
            spmv(exec, part.plan, alpha, part.rows, x, beta, rows_of(y, rows));
          },
          [&](int piece) {
            host_part_->multiply(piece, alpha, x, beta, host_part_->rows_of(y), timeline());
            host_part_->give_back(piece, host_part_->rows_of(y));
          });
    } catch (...) {
      finish();
      throw;
    }
    finish();
  }

  /// `num_products` products with each subdivision before the next takes its place: the j-th multiplies column j of x,
  /// and is stored in column j of y. If there are fewer columns, x repeats them cyclically, and y accumulates. A solver
  /// with many right-hand sides works so, one vector at a time.
  ///
  /// Shapes   x and y of rank 2, entries of a column together (Kokkos::LayoutLeft).
  /// Source   the protocol of Fagerlund et al. 2014, with 50 products.
  template <class X, class Y>
  void apply_repeated(const Exec& exec, const X& x, const Y& y, int num_products = 50) const {
    apply_repeated(exec, exec, x, y, num_products);
  }

  /// The same, with the same bits, on two instances: every other column of y is `other`'s, whose products begin while
  /// the last rows of the one before are still multiplied, and leave processors idle. With one column of y, and where
  /// block rows are cut into segments, all products are on `exec`.
  ///
  /// Memory   Kokkos' own for team kernels on `other`, which its first product makes, and no estimate knows of.
  /// Async    earlier and later work on `exec` comes before and after all products. `other` is an instance on the same
  ///          device, but not the copies' instance.
  /// Throws   ShapeError, ArgumentError before anything is enqueued.
  template <class X, class Y>
  void apply_repeated(const Exec& exec, const Exec& other, const X& x, const Y& y, int num_products) const {
    static_assert(X::rank() == 2 && Y::rank() == 2 && std::is_same_v<typename X::array_layout, Kokkos::LayoutLeft> &&
                      std::is_same_v<typename Y::array_layout, Kokkos::LayoutLeft>,
                  "ashlar::StreamedMatrix::apply_repeated: x and y must be views of rank 2 with Kokkos::LayoutLeft");
    const Kokkos::Profiling::ScopedRegion region("ashlar::streaming::apply_repeated");
    check_lengths(x, y);
    impl::check_apart(x, y);
    if (num_products < 1 || x.extent(1) == 0 || y.extent(1) == 0) {
      throw ArgumentError(text("streaming: ", num_products, " products with ", x.extent(1), " vectors x and ",
                               y.extent(1), " vectors y"),
                          "there must be one of each at least", "pass vectors, and how often to multiply");
    }
    if (host_part_) {
      throw ArgumentError("streaming: repeated products, of which the host makes a share",
                          "they are to show what copies and products of the device cost", "leave host_share at 0");
    }
    const int num_x = static_cast<int>(x.extent(1)), num_y = static_cast<int>(y.extent(1));
    const bool on_both = other != exec && num_y > 1;
    stream(exec, [&](const Part& part, const Subdivision& rows) {
      const bool on_two = on_both && !part.plan.has_segments();
      if (on_two) {
        alternation_.begun.record(exec);
        alternation_.begun.wait(other);
      }
      for (int j = 0; j < num_products; ++j) {
        const int column = j % num_y;
        spmv(on_two && column % 2 == 1 ? other : exec, part.plan, 1, part.rows,
             Kokkos::subview(x, Kokkos::ALL, j % num_x), j < num_y ? 0 : 1,
             rows_of(Kokkos::subview(y, Kokkos::ALL, column), rows));
      }
      if (on_two) {
        alternation_.ended.record(other);
        alternation_.ended.wait(exec);
      }
    });
  }

  /// The times of copies and products on this machine, from some of each: for plan_streaming(). Takes some tenths of a
  /// second, and longer if a product with a subdivision takes as long. For a file, a copy counts from the disk on. If
  /// all of the matrix stays on the device, only products are measured: plans with more or less memory need their own
  /// measurement.
  ///
  /// Memory   x and y are like the vectors of later products, with at most product.num_vectors columns, and hold
  ///          numbers; y is overwritten. Takes no more memory of the device than the estimate has, and some more of the
  ///          host.
  /// Async    waits for `exec`, and returns when all is measured.
  template <class X, class Y>
  StreamingFigures measure(const Exec& exec, const X& x, const Y& y) const {
    check(x, y);
    StreamingFigures result = measure_work(
        exec, [&](int k) { spmv(exec, parts_[k].plan, 1, parts_[k].rows, x, 0, rows_of(y, subdivisions_[k])); });
    if (copies() && !is_from_file() && !all_stays()) {
      impl::measure_host(exec, host_, options_.product, impl::rows_together<Exec>(host_.block_shape()), x, y, *ring_,
                         subdivisions_, first_to_measure(), result);
    }
    return result;
  }

  /// The same without a share of the host, for an operator that is made of this one: multiply(k) enqueues on `exec` its
  /// work with subdivision k, which is on the device then.
  template <class Multiply>
  StreamingFigures measure_work(const Exec& exec, const Multiply& multiply) const {
    if (copies()) {
      return impl::measure_ring(exec, *ring_, subdivisions_, first_to_measure(), is_from_file(), all_stays(), multiply);
    }
    StreamingFigures result;
    impl::measure_products(
        exec, subdivisions_, 0, multiply, [](int) {}, result);
    return result;
  }

  /// work(rows, plan, subdivision) for all subdivisions in order: the base of products. `rows` are the block rows of
  /// the subdivision, on the device for the work that `work` enqueues on `exec`. Without the host's share.
  template <class Work>
  void for_each(const Exec& exec, const Work& work) const {
    stream(exec, [&](const Part& part, const Subdivision& rows) { work(part.rows, part.plan, rows); });
  }

  /// The entries of a vector, or of vectors, that belong to some block rows.
  template <class Y>
  auto rows_of(const Y& y, const Subdivision& part) const {
    const std::int64_t R = host_.block_shape().rows;
    const auto range = std::make_pair(part.first_row * R, (part.first_row + part.num_rows) * R);
    if constexpr (Y::rank() == 1) {
      return Kokkos::subview(y, range);
    } else {
      return Kokkos::subview(y, range, Kokkos::ALL);
    }
  }

  /// Throws   ShapeError unless x and y are as a product needs them.
  template <class X, class Y>
  void check(const X& x, const Y& y) const {
    check_lengths(x, y);
    impl::check_columns(x, y);
  }

  /// The host's values have changed, by work enqueued on `exec` or before: what buffers hold is sent again, after that.
  /// (To be changed they must not be read any more: wait for the products before. A file does not change while it is
  /// open.)
  void values_changed(const Exec& exec) {
    if (ring_) ring_->clear(exec);
  }

  /// As long as what this returns lives, every copy that is sent, the work with each subdivision and each piece of the
  /// host's share are spans of `timeline`; of a file, every piece that is read, and its copy: some 16 MiB. A recording
  /// that was begun before is over.
  ///
  /// Async    products go on to wait for nothing more: StreamTimeline.
  [[nodiscard]] StreamRecording<Exec> record(StreamTimeline<Exec>& timeline) {
    StreamRecording<Exec> recording(timeline);
    timeline_ = recording.timeline();
    return recording;
  }

 private:
  using Division = impl::StreamDivision<Matrix, host_type, Exec>;

  struct Part {
    Matrix rows;  // of the subdivision; on the device its blocks are in a buffer
    SpmvPlan<Matrix> plan;
  };

  /// Events between two instances that make products alternately.
  struct Alternation {
    Event<Exec> begun, ended;
  };

  /// A matrix in memory, and `file` is nullptr; or in a file, of which `matrix` has the row pointers.
  template <class File>
  StreamedMatrix(const Exec& exec, const Exec& copy_exec, host_type matrix, const StreamingOptions& options,
                 const File& file);

  template <class File>
  std::unique_ptr<impl::BlockSource<Matrix, Exec>> make_source(const Exec& copy_exec, const File& file) const;
  bool is_from_file() const { return !path_of_file_.empty(); }

  /// The resident subdivisions are one part, however many there are.
  int num_resident_parts() const { return std::min(estimate_.num_resident, 1); }
  int num_parts() const { return static_cast<int>(subdivisions_.size()); }
  impl::HostPieces host_pieces() const { return {num_parts(), estimate_.host_bytes}; }

  /// True if nothing is sent after the first product, and the host multiplies nothing: then there is nothing to plan.
  bool all_stays() const { return estimate_.num_resident == num_subdivisions() && host_rows_.num_rows == 0; }

  /// From which subdivision on copies and products are measured: those that are sent, where there are any.
  int first_to_measure() const { return num_resident_parts() < num_parts() ? num_resident_parts() : 0; }

  /// The block rows of subdivision k, as they are while they are multiplied.
  Matrix rows_of(int k) const {
    if constexpr (has_one_memory) {
      if (!copies()) return impl::rows_in_place(host_, subdivisions_[k]);
    }
    return impl::rows_in_buffer<Matrix>(host_, subdivisions_[k], k, structure_, ring_->values(k), ring_->col_idx(k));
  }

  template <class X, class Y>
  void check_lengths(const X& x, const Y& y) const {
    if (std::int64_t(x.extent(0)) != num_cols() || std::int64_t(y.extent(0)) != num_rows()) {
      throw ShapeError(text("streaming: x has ", x.extent(0), " entries and y has ", y.extent(0)),
                       text("A is ", num_rows(), " x ", num_cols()),
                       "make x as long as the matrix is wide and y as long as it is high");
    }
  }

  static host_type finished(const Exec& exec, host_type matrix) {
    exec.fence("ashlar::streaming: the host's matrix");
    return matrix;
  }

  /// Where products are recorded, or null.
  StreamTimeline<Exec>* timeline() const { return timeline_.lock().get(); }

  /// work(part, its block rows) for subdivision k, which is on the device; its span, where there is a timeline.
  template <class Work>
  void work_with(int k, const Exec& exec, const Work& work) const {
    auto* const spans = timeline();
    if (spans == nullptr) return work(parts_[k], subdivisions_[k]);
    spans->record(StreamTimeline<Exec>::Track::products, k, 0, exec, [&] { work(parts_[k], subdivisions_[k]); });
  }

  template <class Work>
  void stream(const Exec& exec, const Work& work) const {
    stream(exec, work, [](int) {});
  }

  /// work(part, its block rows) for all subdivisions in order, each when it is on the device; and, where the host has a
  /// share, multiply_piece(piece) for its pieces, between subdivisions.
  template <class Work, class MultiplyPiece>
  void stream(const Exec& exec, const Work& work, const MultiplyPiece& multiply_piece) const;

  std::string path_of_file_;  // empty: in memory
  host_type host_;
  StreamingOptions options_;
  Subdivision host_rows_;
  StreamingEstimate estimate_;
  std::vector<Subdivision> subdivisions_;
  impl::ResidentStructure<Matrix> structure_;
  std::unique_ptr<impl::SubdivisionRing<Matrix, Exec>> ring_;
  std::vector<Part> parts_;
  std::unique_ptr<impl::HostPart<host_type, Exec>> host_part_;
  mutable Alternation alternation_;
  Kernel kernel_ = Kernel::automatic;
  std::string product_;
  std::weak_ptr<StreamTimeline<Exec>> timeline_;
};

}  // namespace ashlar

#include <ashlar/streaming/impl/streamed_matrix.hpp>
