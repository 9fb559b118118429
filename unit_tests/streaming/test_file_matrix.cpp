// Products streamed from a block file against the product with the whole matrix, bit for bit; damaged files; memory.
#include <gmock/gmock.h>

#include <algorithm>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/io/block_file.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <ashlar/reference/random_matrix.hpp>
#include <ashlar/streaming/file_matrix.hpp>
#include <ashlar/streaming/planner.hpp>
#include <ashlar/streaming/streamed_matrix.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <support/compare.hpp>
#include <support/message.hpp>
#include <support/temporary_folder.hpp>
#include <utility>
#include <vector>

namespace ashlar::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Exec = Kokkos::DefaultExecutionSpace;

template <class Vectors>
auto entries(const Vectors& y) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  std::vector<typename Vectors::non_const_value_type> result;
  for (std::size_t c = 0; c < y.extent(1); ++c) {
    for (std::size_t i = 0; i < y.extent(0); ++i) result.push_back(host(i, c));
  }
  return result;
}

/// Rows of 1 to 9 blocks, some empty, one full.
template <class Matrix>
auto irregular(int b) {
  return reference::random_bcsr<Matrix>(70, 83, b, {.min_blocks = 1, .max_blocks = 9, .empty_every = 7, .full_row = 23},
                                        100 + b);
}

template <class Matrix>
typename StreamedMatrix<Matrix>::file_type written(const std::string& path, const auto& host,
                                                   std::int64_t chunk_bytes = 0) {
  io::write_block_file(Kokkos::DefaultHostExecutionSpace(), path, host, {.chunk_bytes = chunk_bytes});
  return typename StreamedMatrix<Matrix>::file_type(io::BlockFile(path));
}

template <class T>
class FileProducts : public ::testing::Test {
 public:
  using Scalar = typename T::first_type;
  using Matrix = BcsrMatrix<Scalar, typename T::second_type>;
  using Space = typename Matrix::memory_space;
  using Vectors = Kokkos::View<Scalar**, Kokkos::LayoutLeft, Space>;

  TemporaryFolder folder;

  /// Two products of each kind are those of the whole matrix.
  template <class Host>
  void expect_same(const Host& host, std::int64_t chunk_bytes, const StreamingOptions& options) {
    const Exec exec;
    const int columns = 2;
    const Matrix device = copy_to<Space>(exec, host);
    StreamingOptions for_columns = options;
    for_columns.product.num_vectors = columns;
    const SpmvPlan<Matrix> plan(exec, device, for_columns.product);
    const StreamedMatrix<Matrix> streamed(exec, written<Matrix>(folder / "a.bcsr", host, chunk_bytes), for_columns);
    const auto x = random_block<Vectors>(host.num_cols(), columns, 7);
    const Vectors expected("test::expected", host.num_rows(), columns), y("test::y", host.num_rows(), columns);
    for (int round = 0; round < 2; ++round) {
      spmv(exec, plan, Scalar(-0.75), device, x, Scalar(0), expected);
      streamed.apply(exec, Scalar(-0.75), x, Scalar(0), y);
      exec.fence();
      ASSERT_EQ(entries(y), entries(expected)) << "vectors, " << streamed.explain();
      for (int c = 0; c < columns; ++c) {
        spmv(exec, plan, 1, device, Kokkos::subview(x, Kokkos::ALL, c), 0, Kokkos::subview(expected, Kokkos::ALL, c));
      }
      streamed.apply_repeated(exec, x, y, columns);
      exec.fence();
      ASSERT_EQ(entries(y), entries(expected)) << "repeated, " << streamed.explain();
    }
  }
};

using TypesAndLayouts = ::testing::Types<std::pair<double, BlockColumnMajor>, std::pair<float, BlockRowMajor>,
                                         std::pair<Kokkos::complex<double>, BlockColumnMajor>>;
TYPED_TEST_SUITE(FileProducts, TypesAndLayouts);

TYPED_TEST(FileProducts, AreThoseOfTheWholeMatrixForEveryCut) {
  for (const int b : {1, 3, 8}) {
    const auto host = irregular<typename TestFixture::Matrix>(b);
    for (const int num_subdivisions : {1, 2, 7, 70}) {
      for (const int num_buffers : {1, 2, 3}) {
        for (const int num_resident : {0, 2, 70}) {
          this->expect_same(
              host, num_buffers == 1 ? 64 : 0,
              {.num_subdivisions = num_subdivisions,
               .num_buffers = num_buffers,
               .structure = num_buffers == 2 ? StructurePlacement::streamed : StructurePlacement::resident,
               .num_resident = num_resident,
               .hide = num_subdivisions != 2,
               .copy_always = num_resident == 0,
               .num_readers = num_buffers});
        }
      }
    }
  }
}

TYPED_TEST(FileProducts, TakeExtremeShapes) {
  using Matrix = typename TestFixture::Matrix;
  for (const bool copy_always : {true, false}) {
    const StreamingOptions options{.num_subdivisions = 4, .num_resident = 1, .copy_always = copy_always};
    this->expect_same(reference::random_bcsr<Matrix>(0, 5, 3, {}, 5), 0, options);
    this->expect_same(reference::random_bcsr<Matrix>(1, 1, 3, {.min_blocks = 1, .max_blocks = 1}, 5), 0, options);
    this->expect_same(reference::random_bcsr<Matrix>(9, 9, 3, {.min_blocks = 0, .max_blocks = 0}, 5), 0, options);
  }
}

using Doubles = BcsrMatrix<double>;
using Streamed = StreamedMatrix<Doubles>;
using Vector = Kokkos::View<double*, Doubles::memory_space>;
using OneVector = Kokkos::View<double**, Kokkos::LayoutLeft, Doubles::memory_space>;

/// Subdivisions larger than what a thread reads at a time: pieces, slots that come again, several passes.
TEST(FileMatrix, ComesInPiecesThatSeveralThreadsRead) {
  const Exec exec;
  const auto host = reference::random_bcsr<Doubles>(1200, 1200, 16, {.min_blocks = 30, .max_blocks = 40}, 3);
  ASSERT_GT(host.num_values() * 8, 80 << 20);
  const TemporaryFolder folder;
  const auto file = written<Doubles>(folder / "a.bcsr", host);
  const Doubles device = copy_to<Doubles::memory_space>(exec, host);
  const auto x = random_block<OneVector>(host.num_cols(), 1, 7);
  const OneVector y("test::y", host.num_rows(), 1), expected("test::expected", host.num_rows(), 1);
  spmv(exec, 1, device, x, 0, expected);
  exec.fence();
  for (const bool copy_always : {true, false}) {
    for (const int num_readers : {1, 3}) {
      const Streamed streamed(exec, file,
                              {.num_subdivisions = 3,
                               .taper = Taper::none,
                               .num_resident = 0,
                               .copy_always = copy_always,
                               .num_readers = num_readers});
      for (int pass = 0; pass < 3; ++pass) {
        Kokkos::deep_copy(y, 0);
        streamed.apply(exec, x, y);
        exec.fence();
        ASSERT_EQ(entries(y), entries(expected)) << "pass " << pass << ", " << streamed.explain();
      }
    }
  }
}

TEST(FileMatrix, WidensValuesOfAFile) {
  const Exec exec;
  const auto floats = irregular<BcsrMatrix<float>>(3);
  const TemporaryFolder folder;
  const Streamed streamed(exec, written<Doubles>(folder / "a.bcsr", floats), {.num_subdivisions = 5});
  const auto x = random_block<OneVector>(floats.num_cols(), 1, 7);
  const OneVector y("test::y", floats.num_rows(), 1), expected("test::expected", floats.num_rows(), 1);
  streamed.apply(exec, x, y);
  spmv(exec, 1, io::read_block_file<Doubles>(exec, folder / "a.bcsr"), x, 0, expected);
  exec.fence();
  EXPECT_EQ(entries(y), entries(expected));
}

TEST(FileMatrix, IsSolvedAsInMemory) {
  const Exec exec;
  problems::Cantilever problem;
  problem.nodes = {7, 5, 5};
  problem.dof = 3;
  const auto matrix = problems::cantilever_matrix<Doubles>(exec, problem);
  const auto b = problems::cantilever_load<double, Doubles::memory_space>(exec, problem);
  const TemporaryFolder folder;
  io::write_block_file(exec, folder / "a.bcsr", matrix);
  const Streamed streamed(exec, Streamed::file_type(io::BlockFile(folder / "a.bcsr")),
                          {.num_subdivisions = 6, .num_resident = 2});
  const Streamed resident(exec, copy_to<PinnedSpace>(exec, matrix));
  const Vector x("test::x", b.extent(0)), expected("test::expected", b.extent(0));
  const SolveReport report = cg(exec, streamed, IdentityPreconditioner(), b, x, {.rtol = 1e-10});
  const SolveReport usual = cg(exec, resident, IdentityPreconditioner(), b, expected, {.rtol = 1e-10});
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_EQ(report.residual_history, usual.residual_history);
}

/// Each pass: what was read, by which thread, its copy after it, and the products after that.
TEST(FileMatrix, HasATimelineOfReadsCopiesAndProducts) {
  const Exec exec;
  const auto host = reference::random_bcsr<Doubles>(1200, 1200, 16, {.min_blocks = 30, .max_blocks = 40}, 3);
  const TemporaryFolder folder;
  const auto file = written<Doubles>(folder / "a.bcsr", host);
  const Vector x("test::x", host.num_cols()), y("test::y", host.num_rows());
  for (const bool copy_always : {true, false}) {
    Streamed streamed(exec, file,
                      {.num_subdivisions = 5,
                       .num_resident = 0,
                       .hide = false,  // so that nothing is read before the timeline begins
                       .copy_always = copy_always,
                       .num_readers = 2});
    StreamTimeline timeline(exec, 1000);
    auto recording = streamed.record(timeline);
    streamed.apply(exec, x, y);
    recording.stop();
    std::uint64_t read = 0, copied = 0;
    std::set<std::string> readers;
    std::vector<double> read_end(5), copy_begin(5, 1e9), copy_end(5), product_begin(5);
    for (const StreamSpan& span : timeline.spans()) {
      const int k = span.name.back() - '0';
      ASSERT_TRUE(k >= 0 && k < 5) << span.name;
      if (span.track == "copies") {
        copied += span.bytes;
        copy_begin[k] = std::min(copy_begin[k], span.begin_seconds);
        copy_end[k] = std::max(copy_end[k], span.end_seconds);
      } else if (span.track == "products") {
        product_begin[k] = span.begin_seconds;
      } else {
        readers.insert(span.track);
        read += span.bytes;
        EXPECT_LT(span.begin_seconds, span.end_seconds);
        read_end[k] = std::max(read_end[k], span.end_seconds);
      }
    }
    EXPECT_GE(copied, std::uint64_t(host.num_values()) * 8);
    EXPECT_NEAR(double(read), double(copied), 5 * 8);  // in place each piece counts the same part of a subdivision
    for (const std::string& reader : readers) EXPECT_THAT(reader, ::testing::AnyOf("reader 0", "reader 1"));
    for (int k = 0; k < 5; ++k) {
      EXPECT_LE(read_end[k], copy_end[k] + 1e-4) << k;
      EXPECT_GE(product_begin[k], copy_end[k]) << k;
      if (k > 0) {
        EXPECT_GE(copy_begin[k], product_begin[k - 1]) << "not hidden, " << k;
      }
    }
  }
}

void flip_byte(const std::string& path, std::int64_t at) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(at);
  const char byte = static_cast<char>(file.get() ^ 1);
  file.seekp(at);
  file.put(byte);
}

/// Damage in a later subdivision, which one or several threads read while others are multiplied.
TEST(FileMatrix, SaysWhereItIsDamagedAndWorksOnceItIsWhole) {
  const Exec exec;
  const TemporaryFolder folder;
  const std::string path = folder / "a.bcsr";
  const auto host = irregular<Doubles>(3);
  const auto file = written<Doubles>(path, host, 64);
  const OneVector x = random_block<OneVector>(host.num_cols(), 1, 7), y("test::y", host.num_rows(), 1),
                  expected("test::expected", host.num_rows(), 1);
  spmv(exec, 1, copy_to<Doubles::memory_space>(exec, host), x, 0, expected);
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path));
  // Before the checksums, whose section begins at a multiple of 4096: the last values.
  const std::int64_t values_end = size - (size - 1) % 4096 - 1 - 4096 + host.num_values() * 8 % 4096;
  const std::int64_t values_begin = values_end - host.num_values() * 8;
  for (const std::int64_t damaged : {values_begin + 8, values_begin + host.num_values() * 2, values_end - 100}) {
    for (const auto& [copy_always, hide] : {std::pair(true, true), {true, false}, {false, true}, {false, false}}) {
      const Streamed streamed(
          exec, file,
          {.num_subdivisions = 7, .num_resident = 0, .hide = hide, .copy_always = copy_always, .num_readers = 3});
      const auto multiply = [&] {
        streamed.apply(exec, x, y);
        exec.fence();
      };
      multiply();
      flip_byte(path, damaged);
      // What had been read ahead of the damage may have been whole yet.
      try {
        multiply();
      } catch (const FileError&) {
      }
      EXPECT_THAT(message_of<FileError>(multiply), AllOf(HasSubstr(path), HasSubstr("values is damaged in bytes")));
      flip_byte(path, damaged);
      for (int pass = 0; pass < 2; ++pass) {
        Kokkos::deep_copy(y, 0);
        EXPECT_NO_THROW(multiply());
        EXPECT_EQ(entries(y), entries(expected)) << streamed.explain();
      }
    }
  }
  const Streamed streamed(exec, file, {.num_subdivisions = 7, .num_resident = 0, .hide = false});
  std::filesystem::resize_file(path, size - 2 * 4096);
  EXPECT_THAT(message_of<FileError>([&] { streamed.apply(exec, x, y); }), AllOf(HasSubstr(path), HasSubstr("ends at")));
}

/// What was read ahead, or is taken and not given back, is not in the way of the next product.
TEST(FileMatrix, MultipliesAfterMeasuringAndAfterWorkThatFailed) {
  const Exec exec;
  const TemporaryFolder folder;
  const auto host = irregular<Doubles>(3);
  const auto file = written<Doubles>(folder / "a.bcsr", host);
  const auto x = random_block<OneVector>(host.num_cols(), 1, 7);
  const OneVector y("test::y", host.num_rows(), 1), expected("test::expected", host.num_rows(), 1);
  spmv(exec, 1, copy_to<Doubles::memory_space>(exec, host), x, 0, expected);
  exec.fence();
  const auto x0 = Kokkos::subview(x, Kokkos::ALL, 0), y0 = Kokkos::subview(y, Kokkos::ALL, 0);
  for (const bool copy_always : {true, false}) {
    for (const Taper taper : {Taper::front, Taper::back, Taper::both}) {
      for (const int num_subdivisions : {2, 3, 4, 6, 7}) {
        for (const int num_resident : {0, 1}) {
          const Streamed streamed(exec, file,
                                  {.num_subdivisions = num_subdivisions,
                                   .taper = taper,
                                   .num_resident = num_resident,
                                   .copy_always = copy_always,
                                   .num_readers = 2});
          const auto expect_right = [&](const char* after) {
            for (int pass = 0; pass < 2; ++pass) {
              Kokkos::deep_copy(y, 0);
              streamed.apply(exec, x0, y0);
              exec.fence();
              ASSERT_EQ(entries(y), entries(expected)) << after << ", " << streamed.explain();
            }
          };
          streamed.measure(exec, x0, y0);
          expect_right("after measuring");
          for (const int failing : {0, num_subdivisions - 1 - std::max(num_resident - 1, 0)}) {
            int k = 0;
            EXPECT_THROW(streamed.for_each(exec,
                                           [&](const auto&...) {
                                             if (k++ == failing) throw std::runtime_error("work");
                                           }),
                         std::runtime_error);
            expect_right("after a failure");
          }
        }
      }
    }
  }
}

TEST(FileMatrix, RefusesFilesOfOtherTypesAndOptionsThatItHasNot) {
  const TemporaryFolder folder;
  const Exec exec;
  const auto write = [&](const auto& matrix) {
    io::write_block_file(Kokkos::DefaultHostExecutionSpace(), folder / "a.bcsr", matrix);
  };
  const auto open = [&] { return Streamed::file_type(io::BlockFile(folder / "a.bcsr")); };
  write(irregular<BcsrMatrix<Kokkos::complex<double>>>(2));
  EXPECT_THAT(message_of<FileError>(open), AllOf(HasSubstr("a.bcsr"), HasSubstr("complex<double>")));
  write(irregular<BcsrMatrix<double, BlockRowMajor>>(2));
  EXPECT_THAT(message_of<FileError>(open), HasSubstr("row_major"));
  write(irregular<Doubles>(2));
  EXPECT_THAT(message_of<ArgumentError>([&] { Streamed(exec, open(), {.host_share = 0.5}); }), HasSubstr("host"));
  EXPECT_THAT(message_of<ArgumentError>([&] { Streamed(exec, open(), {.num_readers = -1}); }), HasSubstr("-1 threads"));
}

/// Where host and device are one memory, too, the limit holds: what does not fit is read again.
TEST(FileMatrix, KeepsToTheMemoryLimitAndIsPlanned) {
  const Exec exec;
  const auto host = reference::random_bcsr<Doubles>(20000, 20000, 3, {.min_blocks = 20, .max_blocks = 30}, 3);
  const TemporaryFolder folder;
  const auto file = written<Doubles>(folder / "a.bcsr", host);
  const std::uint64_t matrix_bytes = host.num_values() * 8;
  const StreamingOptions options{.num_subdivisions = 40, .device_memory_limit = matrix_bytes / 2};
  EXPECT_THAT(message_of<MemoryError>([&] { Streamed(exec, file, {.device_memory_limit = 1000}); }),
              HasSubstr("1000 bytes"));
  const Streamed streamed(exec, file, options);
  EXPECT_TRUE(streamed.copies());
  EXPECT_LE(streamed.estimate().device_bytes(), matrix_bytes / 2);
  EXPECT_GT(streamed.estimate().resident_bytes, matrix_bytes / 4);
  EXPECT_THAT(streamed.explain(), HasSubstr(folder / "a.bcsr is read by"));
  const auto x = random_block<OneVector>(host.num_cols(), 1, 7);
  const OneVector y("test::y", host.num_rows(), 1), expected("test::expected", host.num_rows(), 1);
  const StreamingFigures figures =
      streamed.measure(exec, Kokkos::subview(x, Kokkos::ALL, 0), Kokkos::subview(y, Kokkos::ALL, 0));
  EXPECT_GT(figures.link_bytes_per_second, 0);
  EXPECT_EQ(figures.host_block_seconds, 0);
  const StreamingPlan plan = plan_streaming<Streamed>(file, figures, options);
  EXPECT_EQ(plan.options.host_share, 0);
  EXPECT_GT(plan.seconds, 0);
  // Measuring has brought some subdivisions out of turn.
  const Streamed planned(exec, file, plan.options);
  spmv(exec, 1, copy_to<Doubles::memory_space>(exec, host), x, 0, expected);
  for (const Streamed* const which : {&streamed, &planned}) {
    Kokkos::deep_copy(y, 0);
    which->apply(exec, x, y);
    exec.fence();
    EXPECT_EQ(entries(y), entries(expected)) << which->explain();
  }
}

}  // namespace
}  // namespace ashlar::testing
