#pragma once

#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/host/memory.hpp>
#include <ashlar/spmv/plan.hpp>
#include <ashlar/streaming/impl/block_source.hpp>
#include <ashlar/streaming/streamed_matrix.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

// The longer members of StreamedMatrix.

namespace ashlar {

template <bcsr_matrix Matrix, execution_space Exec>
std::string StreamedMatrix<Matrix, Exec>::explain() const {
  std::string result = text("streaming ", num_subdivisions(), " subdivisions of whole block rows");
  if (!copies()) return result + ", in place: host and device are one memory; " + product_;
  const bool all_stay = estimate_.num_resident == num_subdivisions();
  if (estimate_.num_resident > 0) {
    result += text(", of which ", all_stay ? "all" : text("the first ", estimate_.num_resident),
                   " stay on the device (", bytes_text(estimate_.resident_bytes), ")");
  }
  if (!all_stay) {
    result += text(", ", bytes_text(estimate_.sent_bytes), " a product sent through ", estimate_.num_buffers,
                   " buffers of ", bytes_text(estimate_.buffer_bytes / std::uint64_t(estimate_.num_buffers)),
                   ", copies ", options_.hide ? "beside products" : "and products alternate");
  }
  if (is_from_file()) {
    result += text("; ", path_of_file_, " is read by ", count_text(options_.num_readers, "thread"));
  }
  if (host_part_) {
    const int pieces = host_pieces().count();
    result += text("; the host multiplies the last ", host_rows_.num_rows, " block rows where they are (",
                   bytes_text(estimate_.host_bytes), pieces > 1 ? text(", in ", pieces, " pieces") : "", ")");
  }
  result += text("; block columns ", estimate_.structure_is_resident ? "stay on the device" : "go with the values",
                 "; ", bytes_text(estimate_.device_bytes()), " of device memory with the vectors");
  return result + "; " + product_;
}

template <bcsr_matrix Matrix, execution_space Exec>
template <class File>
StreamedMatrix<Matrix, Exec>::StreamedMatrix(const Exec& exec, const Exec& copy_exec, host_type matrix,
                                             const StreamingOptions& options, const File& file)
    : host_(finished(exec, std::move(matrix))), options_(options), alternation_{Event<Exec>(exec), Event<Exec>(exec)} {
  if constexpr (!std::is_null_pointer_v<File>) {
    path_of_file_ = file->path();
    options_.num_readers = impl::num_readers(options_);
  }
  const Division division(host_, options, is_from_file());
  host_rows_ = division.host_rows();
  estimate_ = division.estimate();
  subdivisions_ = division.subdivisions(estimate_);
  const SpmvPlan<Matrix> whole = impl::plan_of_whole<Matrix>(exec, host_, options_.product);
  kernel_ = whole.kernel();
  product_ = whole.explain();
  if (copies()) {
    structure_ = impl::resident_structure<Matrix>(exec, host_, subdivisions_, estimate_.structure_is_resident);
    std::unique_ptr<impl::BlockSource<Matrix, Exec>> source = make_source(copy_exec, file);
    if (estimate_.structure_is_resident) source->bring_columns(exec, structure_.col_idx);
    ring_ = std::make_unique<impl::SubdivisionRing<Matrix, Exec>>(
        copy_exec, subdivisions_, num_resident_parts(), estimate_.num_buffers, estimate_.structure_is_resident,
        host_.block_shape().num_values(), std::move(source));
  }
  for (int k = 0; k < num_parts(); ++k) {
    const Matrix rows = rows_of(k);
    parts_.push_back({rows, SpmvPlan<Matrix>(exec, rows, whole)});
  }
  if (host_rows_.num_rows > 0) {
    host_part_ = std::make_unique<impl::HostPart<host_type, Exec>>(
        exec, host_, host_rows_, options_.product, std::max(sizeof(double), sizeof(typename Matrix::scalar_type)),
        host_pieces().count());
  }
  exec.fence("ashlar::streaming: set-up");
}

template <bcsr_matrix Matrix, execution_space Exec>
template <class File>
std::unique_ptr<impl::BlockSource<Matrix, Exec>> StreamedMatrix<Matrix, Exec>::make_source(const Exec& copy_exec,
                                                                                           const File& file) const {
  if constexpr (std::is_null_pointer_v<File>) {
    return std::make_unique<impl::MemorySource<Matrix, host_type, Exec>>(host_, subdivisions_);
  } else {
    // Buffers that have room for all that is sent keep it.
    const bool again = num_parts() - num_resident_parts() > estimate_.num_buffers;
    const impl::FileReading reading{.num_threads = options_.num_readers,
                                    .ahead = options_.hide,
                                    .first_again = again ? num_resident_parts() : num_parts(),
                                    .with_columns = !estimate_.structure_is_resident};
    if constexpr (has_one_memory) {
      if (!options_.copy_always) {
        return impl::file_source<Matrix, host_type, true>(copy_exec, file, subdivisions_, reading);
      }
    }
    return impl::file_source<Matrix, host_type, false>(copy_exec, file, subdivisions_, reading);
  }
}

template <bcsr_matrix Matrix, execution_space Exec>
template <class Work, class MultiplyPiece>
void StreamedMatrix<Matrix, Exec>::stream(const Exec& exec, const Work& work,
                                          const MultiplyPiece& multiply_piece) const {
  const int count = num_parts();
  if (!copies()) {
    for (int k = 0; k < count; ++k) work_with(k, exec, work);
    return;
  }
  // Products with the resident part come first: the first copies hide behind them. If a file is read, the host enqueues
  // this work before it waits.
  const bool hide = options_.hide, early = hide && !is_from_file();
  const int resident = num_resident_parts(), ahead = early ? estimate_.num_buffers : 1;
  int next = resident;
  const auto send_up_to = [&](int end) {
    for (; next < std::min(end, count); ++next) ring_->send(next, timeline());
  };
  int next_piece = 0;
  const auto multiply_up_to = [&](int end) {
    for (; host_part_ && next_piece < end; ++next_piece) multiply_piece(next_piece);
  };
  try {
    if (resident > 0) ring_->send(0, timeline());
    if (early) send_up_to(resident + ahead);
    for (int k = 0; k < count; ++k) {
      multiply_up_to(host_pieces().before(k));
      if (k >= resident) send_up_to(k + ahead);
      if (!hide) ring_->copy_exec().fence("ashlar::streaming: copy, not hidden");
      ring_->wait_for_copy(k, exec);
      work_with(k, exec, work);
      ring_->release(k, exec);
      if (!hide) exec.fence("ashlar::streaming: product, not hidden");
    }
  } catch (...) {
    // Copies under way, and buffers in use, are sent again after that work has ended.
    ring_->clear(exec);
    throw;
  }
  if (early && options_.send_ahead) {
    next = resident;
    send_up_to(resident + ahead);
  }
  multiply_up_to(host_pieces().count());
}

}  // namespace ashlar
