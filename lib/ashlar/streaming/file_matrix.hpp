#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/io/block_file.hpp>
#include <ashlar/streaming/impl/block_source.hpp>
#include <ashlar/streaming/impl/in_place_file_source.hpp>
#include <ashlar/streaming/impl/staged_file_source.hpp>
#include <ashlar/streaming/subdivision.hpp>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace ashlar {

/// A matrix that stays in a block file: in memory are its row pointers alone. For StreamedMatrix, whose type of it is
/// StreamedMatrix::file_type.
///
/// Types    the layout of HostMatrix must be the file's; index types must be wide enough for its numbers; the scalar is
///          the file's or one to which BlockFile::read_values() converts.
/// Memory   the row pointers, twice: the file's with 64 bits, and HostMatrix's.
/// Throws   FileError if types do not fit.
template <bcsr_matrix HostMatrix>
class FileMatrix {
 public:
  using host_type = HostMatrix;

  explicit FileMatrix(io::BlockFile file) : file_(std::make_shared<const io::BlockFile>(std::move(file))) {
    using Ordinal = typename HostMatrix::ordinal_type;
    using Offset = typename HostMatrix::offset_type;
    using Scalar = typename HostMatrix::scalar_type;
    using Space = typename HostMatrix::memory_space;
    io::impl::require_fit(*file_, HostMatrix::layout_type::name, std::numeric_limits<Ordinal>::max(),
                          most_blocks<Offset>);
    file_->read_values(0, 0, static_cast<Scalar*>(nullptr));  // whether it has such values
    const auto& rows = file_->row_ptr();
    const Kokkos::View<Offset*, Space> row_ptr(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::row_ptr"),
                                               rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) row_ptr(i) = static_cast<Offset>(rows[i]);
    const std::size_t blocks = file_->num_blocks();
    const Kokkos::View<Ordinal*, Space> no_col_idx(nullptr, blocks);
    const Kokkos::View<Scalar*, Space> no_values(nullptr, blocks * file_->block_shape().num_values());
    rows_ = HostMatrix(file_->block_shape(), {static_cast<Ordinal>(file_->num_block_cols()), row_ptr, no_col_idx},
                       no_values);
  }

  const std::shared_ptr<const io::BlockFile>& file() const { return file_; }

  /// The matrix without its blocks, whose values and block columns point nowhere: for its shape and row pointers.
  const HostMatrix& without_blocks() const { return rows_; }

 private:
  std::shared_ptr<const io::BlockFile> file_;
  HostMatrix rows_;
};

}  // namespace ashlar

namespace ashlar::impl {

template <class Matrix, class HostMatrix, bool InPlace, execution_space Exec>
std::unique_ptr<BlockSource<Matrix, Exec>> file_source(const Exec& copy_exec,
                                                       const std::shared_ptr<const io::BlockFile>& file,
                                                       const std::vector<Subdivision>& subdivisions,
                                                       const FileReading& reading) {
  if constexpr (InPlace) {
    return std::make_unique<InPlaceFileSource<Matrix, Exec>>(file, subdivisions, reading);
  } else {
    return std::make_unique<StagedFileSource<Matrix, HostMatrix, Exec>>(copy_exec, file, subdivisions, reading);
  }
}

}  // namespace ashlar::impl
