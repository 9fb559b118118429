// Ranks that stream their own columns from the host's memory under the halo: the products and solves of those that have
// them on the device, within less memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ashlar/distributed/diagonal.hpp>
#include <ashlar/streaming/timeline.hpp>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "distributed/product_cases.hpp"
#include "distributed/solver_cases.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

using Op = DistributedOperator<Matrix>;
using HostRows = Op::host_type;
using Block = Kokkos::View<double**, Kokkos::LayoutRight, Space>;

/// Which ranks stream.
struct Streaming {
  std::string name;
  std::function<bool(int)> on;
};
const std::vector<Streaming> all_or_some{{"all", [](int) { return true; }},
                                         {"one", [](int rank) { return rank == 1; }},
                                         {"none", [](int) { return false; }}};

/// Nothing stays, and there are more subdivisions than buffers.
StreamingOptions in_pieces() { return {.num_subdivisions = 5, .num_resident = 0, .copy_always = true}; }

DistributedOptions streamed(DistributedOptions options, const StreamingOptions& streaming = in_pieces()) {
  options.streaming = streaming;
  return options;
}

/// The rows of a beam on this rank, in host memory.
HostRows host_rows(const Exec& exec, const Beam& beam, int rank) {
  const auto build = [&](const auto& where) {
    const auto rows = problems::cantilever_matrix<HostRows>(where, beam.problem, beam.rows(rank));
    where.fence("test: rows of a rank");
    return rows;
  };
  if constexpr (is_gpu_v<Exec>) {
    return build(Kokkos::DefaultHostExecutionSpace());
  } else {
    return build(exec);  // of the rank
  }
}

/// All bytes of the vectors of a product.
std::uint64_t vector_bytes(const Op& a, int num_vectors = 1) {
  return 2 * sizeof(double) * std::uint64_t(a.space().num_local()) * std::uint64_t(num_vectors);
}

TEST(StreamedRanks, MultiplyToTheSameBits) {
  for (const int ranks : {1, 2, 3}) {
    for (const ProductCase& test : product_cases(ranks, 3)) {
      for (const DistributedOptions& way : all_ways()) {
        for (const Streaming& streaming : all_or_some) {
          run_ranks(ranks, [&](Communicator& comm) {
            SCOPED_TRACE(test.name + ", " + name_of(way) + ", streamed: " + streaming.name + ", rank " +
                         std::to_string(comm.rank()));
            const Exec exec = instance_of_rank();
            const std::int64_t begin = test.partition.begin(comm.rank()), end = test.partition.end(comm.rank());
            const Matrix rows = rows_of(test.matrix, begin, end);
            const Op resident(exec, comm, test.partition, rows, way);
            const Op a(exec, comm, test.partition, copy_to<PinnedSpace>(exec, rows),
                       streaming.on(comm.rank()) ? streamed(way) : way);
            EXPECT_EQ(a.streamed() != nullptr, streaming.on(comm.rank()));
            EXPECT_EQ(a.num_blocks(), resident.num_blocks());
            const auto x = random_vector<double>((end - begin) * 3, 1);
            const auto nan = std::vector<double>(x.size(), std::numeric_limits<double>::quiet_NaN());
            const auto expected = to_device<Space>(nan), y = to_device<Space>(nan);
            for (int round = 0; round < 2; ++round) {
              resident.apply(exec, to_device<Space>(x), expected);
              a.apply(exec, to_device<Space>(x), y);
              exec.fence();
              EXPECT_EQ(to_host(y), to_host(expected));
            }
          });
        }
      }
    }
  }
}

TEST(StreamedRanks, SolveAsThoseThatHaveAll) {
  for (const Form form : {Form::standard, Form::single_reduction, Form::pipelined}) {
    for (const Kind kind : {Kind::jacobi, Kind::block_jacobi}) {
      for (const int ranks : {1, 2, 3}) {
        for (const Streaming& streaming : all_or_some) {
          run_ranks(ranks, [&](Communicator& comm) {
            SCOPED_TRACE("form " + std::to_string(int(form)) + ", streamed: " + streaming.name + ", rank " +
                         std::to_string(comm.rank()) + " of " + std::to_string(ranks));
            const Exec exec = instance_of_rank();
            const Beam beam(ranks);
            const HostRows rows = host_rows(exec, beam, comm.rank());
            const Op resident(exec, comm, beam.partition, rows);
            const Op a(exec, comm, beam.partition, rows,
                       streaming.on(comm.rank()) ? streamed(DistributedOptions{}) : DistributedOptions{});
            const auto b = problems::cantilever_load<double, Space>(exec, beam.problem, beam.rows(comm.rank()));
            const Vector x("x", b.extent(0)), expected("x", b.extent(0));
            const SolveReport of_resident = solve_by(form, exec, AnyOp(resident),
                                                     preconditioner_of(exec, resident.own_matrix(), kind), b, expected);
            const SolveReport report =
                solve_by(form, exec, AnyOp(a), preconditioner_of(exec, diagonal_blocks(exec, a), kind), b, x);
            EXPECT_EQ(report.status, SolveStatus::converged);
            EXPECT_EQ(report.iterations, of_resident.iterations);
            expect_same_history(report.residual_history, of_resident.residual_history);
            expect_near(to_host(x), to_host(expected), 1e-6);
          });
        }
      }
    }
  }
}

TEST(StreamedRanks, SolveForSeveralVectors) {
  constexpr int columns = 3;
  for (const int ranks : {1, 2, 3}) {
    for (const Streaming& streaming : all_or_some) {
      run_ranks(ranks, [&](Communicator& comm) {
        SCOPED_TRACE("streamed: " + streaming.name + ", rank " + std::to_string(comm.rank()) + " of " +
                     std::to_string(ranks));
        const Exec exec = instance_of_rank();
        const Beam beam(ranks);
        const HostRows rows = host_rows(exec, beam, comm.rank());
        DistributedOptions options;
        options.spmv.num_vectors = columns;
        const Op resident(exec, comm, beam.partition, rows, options);
        const Op a(exec, comm, beam.partition, rows, streaming.on(comm.rank()) ? streamed(options) : options);
        const auto m = preconditioner_of(exec, diagonal_blocks(exec, a), Kind::block_jacobi);
        const std::int64_t n = a.space().num_local();
        const Block b("b", n, columns), x("x", n, columns), expected("x", n, columns);
        const auto host = Kokkos::create_mirror_view(b);
        const auto numbers = random_vector<double>(std::size_t(n * columns), 5 + unsigned(comm.rank()));
        for (std::int64_t i = 0; i < n; ++i) {
          for (int j = 0; j < columns; ++j) host(i, j) = numbers[std::size_t(i * columns + j)];
        }
        Kokkos::deep_copy(b, host);
        const auto of_resident = block_cg(exec, AnyOp(resident), m, b, expected);
        const auto report = block_cg(exec, AnyOp(a), m, b, x);
        EXPECT_EQ(report.status, SolveStatus::converged);
        EXPECT_EQ(report.iterations, of_resident.iterations);
        for (int j = 0; j < columns; ++j) {
          expect_same_history(report.columns[j].residual_history, of_resident.columns[j].residual_history);
        }
        const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x),
                   wanted = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expected);
        for (std::int64_t i = 0; i < n; ++i) {
          for (int j = 0; j < columns; ++j) EXPECT_NEAR(got(i, j), wanted(i, j), 1e-5);
        }
      });
    }
  }
}

TEST(StreamedRanks, StayWithinTheirLimit) {
  for (const int columns : {1, 4}) {
    run_ranks(3, [&](Communicator& comm) {
      const Exec exec = instance_of_rank();
      const Beam beam(3);
      const HostRows rows = host_rows(exec, beam, comm.rank());
      DistributedOptions options;
      options.spmv.num_vectors = columns;
      const auto with_limit = [&](std::uint64_t limit) {
        return Op(exec, comm, beam.partition, rows,
                  streamed(options, {.device_memory_limit = limit, .copy_always = true}));
      };
      // With room for all nothing is sent after the first product.
      const Op with_room = with_limit(std::uint64_t(1) << 30);
      EXPECT_EQ(with_room.streamed()->estimate().sent_bytes, 0u);
      const std::uint64_t all = with_room.bytes().device + vector_bytes(with_room, columns);
      const std::uint64_t values = std::uint64_t(with_room.streamed()->matrix().num_values()) * sizeof(double);
      // Rank 1 has too little room, the others have enough.
      const std::uint64_t limit = comm.rank() == 1 ? all - values / 2 : all;
      const Op a = with_limit(limit);
      EXPECT_LE(a.bytes().device + vector_bytes(a, columns), limit);
      EXPECT_EQ(a.streamed()->estimate().sent_bytes > 0, comm.rank() == 1);
      // It makes use of what there is.
      EXPECT_GE(a.bytes().device + vector_bytes(a, columns), limit - values / 8);
    });
  }
}

TEST(StreamedRanks, SayOnAllOfThemThatALimitIsTooSmall) {
  run_ranks(3, [&](Communicator& comm) {
    const Exec exec = instance_of_rank();
    const Beam beam(3);
    const HostRows rows = host_rows(exec, beam, comm.rank());
    const auto with_limit_on_one = [&](std::uint64_t limit) {
      return Op(exec, comm, beam.partition, rows,
                streamed({}, {.device_memory_limit = comm.rank() == 1 ? limit : std::uint64_t(1) << 30,
                              .copy_always = true}));
    };
    // Too little for the halo alone, and for the vectors.
    for (const std::uint64_t limit : {std::uint64_t(1), std::uint64_t(16) << 10}) {
      std::uint64_t needed = 0;
      if (comm.rank() == 1) {
        try {
          with_limit_on_one(limit);
          ADD_FAILURE() << "no exception";
        } catch (const MemoryError& error) {
          EXPECT_THAT(error.what(), HasSubstr("rank 1"));
          EXPECT_THAT(error.what(), HasSubstr(bytes_text(limit)));
          EXPECT_EQ(error.available(), limit);
          needed = error.needed();
        }
      } else {
        expect_refused<RankError>("rank 1", [&] { with_limit_on_one(limit); });
      }
      // And so much is enough.
      needed = comm.max(needed);
      const Op a = with_limit_on_one(needed);
      if (comm.rank() == 1) {
        EXPECT_LE(a.bytes().device + vector_bytes(a), needed);
      }
    }
  });
}

TEST(StreamedRanks, SayHowTheyMultiply) {
  run_ranks(2, [&](Communicator& comm) {
    const Exec exec = instance_of_rank();
    const Beam beam(2);
    const HostRows rows = host_rows(exec, beam, comm.rank());
    const Op resident(exec, comm, beam.partition, rows);
    const Op a(exec, comm, beam.partition, rows, streamed({}));
    EXPECT_THAT(a.explain(), HasSubstr("streaming 5 subdivisions"));
    EXPECT_EQ(a.kernel(), resident.kernel());
    EXPECT_FALSE(a.is_stream_ordered());
    EXPECT_FALSE(a.is_capturable());
    // (On a GPU its buffers are larger than all of this matrix.)
    if constexpr (!is_gpu_v<Exec>) {
      EXPECT_LT(a.bytes().device, resident.bytes().device);
    }
    expect_refused<ArgumentError>("streamed", [&] { a.own_matrix(); });
    if constexpr (is_gpu_v<Exec>) {
      const Matrix on_device = copy_to<Space>(exec, rows);
      exec.fence();
      expect_refused<ArgumentError>("on the device", [&] { Op(exec, comm, beam.partition, on_device, streamed({})); });
    } else {
      // Where it is: of one memory nothing is saved.
      const Op in_place(exec, comm, beam.partition, rows, streamed({}, {.num_subdivisions = 5}));
      EXPECT_THAT(in_place.explain(), HasSubstr("in place"));
      EXPECT_EQ(in_place.bytes().device, resident.bytes().device);
    }
  });
  const Exec exec = instance_of_rank();
  const Beam beam(1);
  EXPECT_FALSE(Op(exec, Communicator(), beam.partition, host_rows(exec, beam, 0), streamed({})).is_capturable());
}

TEST(StreamedRanks, TellWhenTheyCopiedAndMultiplied) {
  run_ranks(2, [&](Communicator& comm) {
    const Exec exec = instance_of_rank();
    const Beam beam(2);
    const Op a(exec, comm, beam.partition, host_rows(exec, beam, comm.rank()), streamed({}));
    const std::int64_t n = a.space().num_local();
    const Vector x("x", n), y("y", n);
    StreamTimeline<Exec> timeline(exec, 100);
    {
      const auto recording = a.streamed()->record(timeline);
      a.apply(exec, x, y);
      exec.fence();
    }
    const auto spans = timeline.spans();
    const auto count = [&](const std::string& track) {
      return std::count_if(spans.begin(), spans.end(), [&](const StreamSpan& span) { return span.track == track; });
    };
    EXPECT_EQ(count("products"), 5);
    EXPECT_GE(count("copies"), 5);
    const StreamOverlap overlap = overlap_of(spans);
    EXPECT_GE(overlap.hidden_share(), 0);
    EXPECT_LE(overlap.hidden_share(), 1);
  });
}

}  // namespace
}  // namespace ashlar::testing
