#pragma once

#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/distributed/impl/require_same.hpp>
#include <ashlar/distributed/options.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <cstdint>
#include <string>

// Whether the ranks of a DistributedOperator ask for one thing, and each has the rows that it is to have.

namespace ashlar::impl {

/// What all ranks ask for alike.
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

/// Throws where the rows are not those of this rank, or cannot be multiplied as the options say. `are_on_host`: they
/// are in the host's memory, from where they may be streamed.
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

}  // namespace ashlar::impl
