#pragma once

#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/distributed/impl/cut_matrix.hpp>
#include <ashlar/distributed/impl/own_part.hpp>
#include <ashlar/distributed/impl/remote_product.hpp>
#include <ashlar/distributed/matrix.hpp>
#include <ashlar/distributed/options.hpp>
#include <ashlar/distributed/space.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <ashlar/persistent_cg/ranks.hpp>
#include <ashlar/streaming/planner.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

// Checks that the ranks of a DistributedOperator agree, and that each has its own rows.

namespace ashlar::impl {

/// The properties that all ranks must have in common.
template <class Rows>
Claims claims_of_operator(const Rows& rows, const DistributedOptions& options) {
  return {{"block columns", text(rows.num_block_cols())},
          {"blocks of", to_string(rows.block_shape())},
          {"values of", scalar_name<typename Rows::scalar_type>()},
          {"decomposition", std::string(to_string(options.decomposition))},
          {"halo form", std::string(to_string(options.halo.form))},
          {"exchange", std::string(to_string(options.exchange))},
          {"overlap", options.overlap ? "on" : "off"},
          {"num_vectors", text(options.spmv.num_vectors)},
          {"double_vectors", options.spmv.double_vectors ? "true" : "false"}};
}

/// Throws   if the rows are not the rows of this rank, or cannot be multiplied as the options say. `are_on_host` tells
///          that they are in host memory, and may be streamed.
template <class Rows>
void check_rows_of_rank(const char* name, const Communicator& comm, const RowPartition& partition, const Rows& rows,
                        const DistributedOptions& options, bool are_on_host) {
  const int rank = comm.rank();
  if (partition.num_parts() != comm.size()) {
    throw ArgumentError(text(name, ": a partition of ", partition.num_parts(), " parts"),
                        text("there are ", comm.size(), " ranks"), "make a part for each rank");
  }
  if (partition.num_rows() != std::int64_t(rows.num_block_cols())) {
    throw ShapeError(text(name, ": a partition of ", partition.num_rows(), " block rows"),
                     text("the matrix has ", rows.num_block_cols(), " block columns, and is square"),
                     "pass rows with the columns of the whole matrix, and its partition");
  }
  if (partition.size(rank) != std::int64_t(rows.num_block_rows())) {
    throw ShapeError(
        text(name, ": ", rows.num_block_rows(), " block rows on rank ", rank),
        text("the partition gives it ", partition.size(rank), ", ", partition.begin(rank), " to ", partition.end(rank)),
        "pass the block rows that the partition says");
  }
  if (options.spmv.mode != Mode::no_transpose) {
    throw ArgumentError(text(name, ": products with ", symbol_of(options.spmv.mode)),
                        "ranks have rows of A, and entries of x by columns", "make the operator of those rows");
  }
  if (options.streaming && !are_on_host) {
    throw ArgumentError(text(name, ": rows on the device, to be streamed on rank ", rank),
                        "what is streamed is in the host's memory",
                        "hand in rows in PinnedSpace, or leave options.streaming out");
  }
}

/// A DistributedOperator has three parts: the product with local columns, the product with remote columns, and the
/// space of the vectors.
template <class Matrix, class Exec>
struct OperatorParts {
  static constexpr const char* name = "DistributedOperator";
  using host_type = typename StreamedMatrix<Matrix, Exec>::host_type;

  /// `rows` have the block columns of the whole matrix, and are on the device or in the host's memory. Collective.
  template <class Rows>
  OperatorParts(const Exec& exec, const Communicator& given, const RowPartition& partition, Rows rows,
                const DistributedOptions& the_options)
      : comm(std::make_shared<const Communicator>(given.duplicate())), options(the_options) {
    comm->require_same(name, claims_of_operator(rows, options));
    comm->together([&] {
      size_of_square(name, rows.block_shape());
      check_rows_of_rank(name, *comm, partition, rows, options, std::is_same_v<Rows, host_type>);
    });
    MatrixParts<Matrix, Rows> parts =
        cut_matrix<Matrix>(exec, comm, partition, partition, given_rows(rows, rows.graph().col_idx()),
                           {options.halo, options.spmv.num_vectors, false}, &rows);
    rows = Rows();
    make(exec, std::move(parts));
  }

  /// The matrix is distributed already. Collective.
  OperatorParts(const Exec& exec, const DistributedMatrix<Matrix>& a, const DistributedOptions& the_options)
      : comm(std::make_shared<const Communicator>(a.communicator().duplicate())), options(the_options) {
    Claims claims = claims_of_operator(a.local(), options);
    claims.front().second = text(a.num_global_block_cols());  // of the whole matrix, as of rows
    comm->require_same(name, claims);
    comm->together([&] {
      size_of_square(name, a.block_shape());
      if (!(a.row_map() == a.column_map())) {
        throw ArgumentError(text(name, ": a matrix whose rows have another partition than its columns"),
                            "solvers multiply vectors of one space", "redistribute() it, with one map for both");
      }
      if (options.streaming) {
        throw ArgumentError(text(name, ": a distributed matrix, to be streamed"), "its rows are on the device",
                            "hand in rows in PinnedSpace");
      }
    });
    make(exec, a.parts());
  }

  template <class Rows>
  void make(const Exec& exec, MatrixParts<Matrix, Rows> parts) {
    some_on_host = comm->max(is_gpu_v<Exec> ? 0 : 1) > 0;
    structure = parts.structure;
    block_size = parts.local.block_shape().rows;
    remote.emplace(exec, comm, structure, parts.remote, block_size, options);
    parts.remote = Matrix();
    // The last to be made, as it takes what room is left.
    comm->together([&] {
      make_own(exec, std::move(parts.local));
      exec.fence("ashlar::distributed_operator: local columns");
    });
    // Sums travel as the halo does.
    space.emplace(exec, comm, own->num_rows(), remote->mode(), options.halo.time_out_seconds, options.idle_clock);
  }

  template <class Rows>
  void make_own(const Exec& exec, Rows rows) {
    if constexpr (std::is_same_v<Rows, host_type>) {
      if (options.streaming) return stream(exec, rows);
    }
    own.emplace(exec, on_device<Matrix>(exec, rows), options.spmv);
  }

  /// Within what the limit leaves beside remote columns and the halo.
  void stream(const Exec& exec, const host_type& rows) {
    StreamingOptions streaming = *options.streaming;
    streaming.product = options.spmv;
    const std::uint64_t beside = remote->bytes().device;
    const std::uint64_t limit =
        streaming.device_memory_limit > 0 ? streaming.device_memory_limit : std::numeric_limits<std::uint64_t>::max();
    if (streaming.device_memory_limit > 0) streaming.device_memory_limit = limit > beside ? limit - beside : 1;
    try {
      own.emplace(exec, rows, streaming);
    } catch (const MemoryError& error) {
      const std::uint64_t needed = error.needed() + beside, available = std::min(limit, error.available() + beside);
      throw StreamingLimit{available, available == limit}.error(
          needed,
          text(name, ": rank ", comm->rank(), " needs ", bytes_text(needed),
               " of device memory to stream its local columns, of which ", bytes_text(beside),
               " are the halo and remote columns"),
          "take more ranks");
    }
  }

  bool is_alone() const { return comm->is_alone(); }

  void require_resident(const char* what, const char* suggestion) const {
    if (!own->streamed()) return;
    throw ArgumentError(text(name, ": ", what, " on rank ", comm->rank()), "its local columns are streamed",
                        suggestion);
  }

  std::string explain() const {
    const RowPartition& rows = structure->row_map;
    const int rank = comm->rank();
    const std::string result = text("block rows ", rows.begin(rank), " to ", rows.end(rank), " of ", rows.num_rows(),
                                    " on rank ", rank, " of ", comm->size());
    if (is_alone()) return text(result, "; ", own->explain());
    return text(result, remote->explain_plan(own->num_blocks()), "; local: ", own->explain(), remote->explain(), "; ",
                comm->explain());
  }

  std::shared_ptr<const Communicator> comm;
  DistributedOptions options;
  int block_size = 1;
  bool some_on_host = false;  // of all ranks, whose spaces may differ
  std::shared_ptr<const MatrixStructure<Matrix>> structure;
  std::optional<RemoteProduct<Matrix, Exec>> remote;
  std::optional<OwnPart<Matrix, Exec>> own;
  std::optional<DistributedSpace<Exec>> space;
  std::shared_ptr<CgRendezvous<typename Matrix::scalar_type>> rendezvous;  // made when CG first asks for it
};

}  // namespace ashlar::impl
