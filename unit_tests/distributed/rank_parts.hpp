#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/distributed/operator.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <ashlar/reference/random_matrix.hpp>
#include <ashlar/reference/spmv.hpp>
#include <cstdint>
#include <exception>
#include <string>
#include <support/compare.hpp>
#include <support/thread_ranks.hpp>
#include <vector>

// Matrices and vectors that are distributed to ranks, and gathered again.

namespace ashlar::testing {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;

/// An instance of the rank's own.
inline Exec instance_of_rank() { return rank_instance<Exec>(); }

/// Block rows begin to end of a matrix on the host, with all its block columns, where kernels reach them.
template <class HostMatrix>
auto rows_of(const HostMatrix& whole, std::int64_t begin, std::int64_t end) {
  using Ordinal = typename HostMatrix::ordinal_type;
  using Offset = typename HostMatrix::offset_type;
  const auto& graph = whole.graph();
  const std::int64_t first = graph.row_ptr()(begin), count = graph.row_ptr()(end) - first,
                     bb = whole.block_shape().num_values();
  const Kokkos::View<Offset*, Kokkos::HostSpace> row_ptr("test::row_ptr", end - begin + 1);
  const Kokkos::View<Ordinal*, Kokkos::HostSpace> col_idx("test::col_idx", count);
  const typename HostMatrix::values_view values("test::values", count * bb);
  for (std::int64_t i = 0; i <= end - begin; ++i) row_ptr(i) = graph.row_ptr()(begin + i) - first;
  for (std::int64_t k = 0; k < count; ++k) col_idx(k) = graph.col_idx()(first + k);
  for (std::int64_t v = 0; v < count * bb; ++v) values(v) = whole.values()(first * bb + v);
  const Exec exec;
  const auto rows =
      copy_to<Space>(exec, HostMatrix(whole.block_shape(), {whole.num_block_cols(), row_ptr, col_idx}, values));
  exec.fence("test: rows of a rank");
  return rows;
}

/// A rank's entries of a vector.
template <class Scalar>
std::vector<Scalar> part_of(const std::vector<Scalar>& whole, const RowPartition& partition, int rank, int block_size) {
  return {whole.begin() + partition.begin(rank) * block_size, whole.begin() + partition.end(rank) * block_size};
}

/// The operator of a matrix on the host, of which this rank takes its rows.
template <class HostMatrix>
auto operator_over_ranks(const Exec& exec, const Communicator& comm, const HostMatrix& whole,
                         const RowPartition& partition, const DistributedOptions& options = {}) {
  using Matrix = typename HostMatrix::template in_space<Space>;
  return DistributedOperator<Matrix>(exec, comm, partition,
                                     rows_of(whole, partition.begin(comm.rank()), partition.end(comm.rank())), options);
}

/// A partition by its sizes.
inline RowPartition sizes(const std::vector<std::int64_t>& counts) {
  std::vector<std::int64_t> offsets{0};
  for (const std::int64_t count : counts) offsets.push_back(offsets.back() + count);
  return RowPartition(offsets);
}

inline DistributedOptions with(Decomposition decomposition, HaloForm form, bool overlap = true) {
  DistributedOptions options;
  options.decomposition = decomposition;
  options.halo.form = form;
  options.overlap = overlap;
  return options;
}

/// Every way to exchange and multiply.
inline std::vector<DistributedOptions> all_ways() {
  std::vector<DistributedOptions> ways;
  for (const Decomposition decomposition : {Decomposition::one_d, Decomposition::two_d}) {
    for (const HaloForm form : {HaloForm::automatic, HaloForm::packed, HaloForm::contiguous, HaloForm::whole}) {
      for (const bool overlap : {true, false}) ways.push_back(with(decomposition, form, overlap));
    }
  }
  return ways;
}

inline std::string name_of(const DistributedOptions& way) {
  return std::string(to_string(way.decomposition)) + " " + std::string(to_string(way.halo.form)) +
         (way.overlap ? "" : " without overlap");
}

/// `call` throws an E whose message has this in it.
template <class E, class Call>
void expect_refused(const std::string& part_of_message, const Call& call) {
  try {
    call();
    ADD_FAILURE() << "no exception";
  } catch (const E& error) {
    EXPECT_NE(std::string(error.what()).find(part_of_message), std::string::npos) << error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what();
  }
}

}  // namespace ashlar::testing
