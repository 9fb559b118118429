#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/io/block_file.hpp>
#include <ashlar/io/block_file_writer.hpp>
#include <ashlar/io/read_ahead.hpp>
#include <ashlar/streaming/file_matrix.hpp>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <streaming/from_file.hpp>
#include <support/plain_product.hpp>
#include <utility>
#include <vector>

namespace ashlar::perf {

namespace {

/// A file that is gone with it.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

  /// What the system keeps of it in memory is let go: it is read from the disk again.
  void forget() const {
    const int file = ::open(path_.c_str(), O_RDONLY);
    if (file < 0) return;
    ::fdatasync(file);
    ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    ::close(file);
  }

 private:
  std::string path_;
};

/// All values, by so many threads, compared with their checksums: what nothing that reads the file can beat.
void read_all(const io::BlockFile& file, int num_threads, std::vector<std::vector<double>>& rooms) {
  const std::int64_t per_block = file.block_shape().num_values(), num_blocks = file.num_blocks();
  const std::int64_t at_once = static_cast<std::int64_t>(rooms.front().size()) / per_block;
  const auto num_slots = static_cast<int>(rooms.size());
  std::vector<io::ReadAhead::Item> items;
  for (std::int64_t i = 0; i * at_once < num_blocks; ++i) items.push_back({.slot = static_cast<int>(i % num_slots)});
  const auto count = static_cast<int>(items.size());
  io::ReadAhead reader(
      items, num_slots, {.num_threads = num_threads, .first_again = count},
      [&](int i, int) {
        file.read_values(i * at_once, std::min(at_once, num_blocks - i * at_once), rooms[items[i].slot].data());
      },
      [](int) {});
  for (int i = 0; i < count; ++i) {
    reader.take(i);
    reader.give_back(items[i].slot);
  }
}

/// The matrix, some times along the diagonal of a larger one, which is never in memory.
void write_copies(const std::string& path, const HostMatrix& host, int copies) {
  const auto& rows = host.graph().row_ptr();
  std::vector<std::int64_t> row_ptr{0};
  for (int copy = 0; copy < copies; ++copy) {
    for (std::int64_t i = 0; i < host.num_block_rows(); ++i) row_ptr.push_back(row_ptr.back() + rows(i + 1) - rows(i));
  }
  io::BlockFileWriter<HostMatrix> file(path, host.block_shape(), copies * host.num_block_cols(), std::move(row_ptr));
  const std::int64_t at_once = 1 << 20, per_block = host.block_shape().num_values();
  std::vector<HostMatrix::ordinal_type> columns;
  for (int copy = 0; copy < copies; ++copy) {
    const auto first_column = static_cast<HostMatrix::ordinal_type>(copy * host.num_block_cols());
    for (std::int64_t begin = 0; begin < host.num_blocks(); begin += at_once) {
      const std::int64_t count = std::min(at_once, host.num_blocks() - begin);
      const auto* const from = host.graph().col_idx().data() + begin;
      columns.resize(count);
      std::transform(from, from + count, columns.begin(), [&](auto column) { return column + first_column; });
      file.append(count, columns.data(), host.values().data() + begin * per_block);
    }
  }
  file.close();
}

/// `copies` copies of a vector, one after another.
Vector<double> repeated(const Exec& exec, const Vector<double>& part, int copies) {
  const std::size_t n = part.extent(0);
  const Vector<double> result(Kokkos::view_alloc(Kokkos::WithoutInitializing, "perf::repeated"), n * copies);
  for (int copy = 0; copy < copies; ++copy) {
    Kokkos::deep_copy(exec, Kokkos::subview(result, std::make_pair(copy * n, (copy + 1) * n)), part);
  }
  return result;
}

/// What products from a file take by themselves.
struct FileParts {
  double seconds_read, seconds_copy, seconds_compute;

  double longest() const { return std::max({seconds_read, seconds_copy, seconds_compute}); }
  double others() const { return seconds_read + seconds_copy + seconds_compute - longest(); }
};

}  // namespace

bool run_from_file(const Exec& exec, const StreamingCase& matrix, const StreamingPerfOptions& options,
                   nlohmann::json& results) {
  const HostMatrix& host = matrix.host;
  const int copies = options.copies, num_readers = options.readers;
  if (copies > std::numeric_limits<HostMatrix::ordinal_type>::max() / host.num_block_cols()) {
    throw ArgumentError(text("--copies ", copies, " of a matrix with ", host.num_block_cols(), " block columns"),
                        "they are counted in 32 bits", "ask for fewer");
  }
  const std::string name = copies == 1 ? matrix.name : text(copies, " times ", matrix.name);
  const TemporaryFile file(
      (std::filesystem::path(options.folder) / text("perf_streaming.", ::getpid(), ".bcsr")).string());
  write_copies(file.path(), host, copies);
  const io::BlockFile opened(file.path());
  const Streamed::file_type in_file{io::BlockFile(file.path())};
  const double bytes = copies * matrix.value_bytes();
  const double link = plain_copy_gb_s(Kokkos::Experimental::partition_space(exec, 1)[0], host);
  const auto x_of_one = test_vector<double>(exec, host.num_cols());
  const auto expected = plain_product(exec, copy_to<Space>(exec, host), x_of_one, Mode::no_transpose);
  const Kokkos::View<double**, Kokkos::LayoutLeft, Space> x("perf::x", copies * host.num_cols(), 1),
      y("perf::y", copies * host.num_rows(), 1);
  const auto first_x = Kokkos::subview(x, Kokkos::ALL, 0), first_y = Kokkos::subview(y, Kokkos::ALL, 0);
  Kokkos::deep_copy(exec, first_x, repeated(exec, x_of_one, copies));
  const auto is_right = [&](const Streamed& streamed) {
    Kokkos::deep_copy(exec, y, std::numeric_limits<double>::quiet_NaN());
    streamed.apply(exec, first_x, first_y);
    bool all = true;
    for (int copy = 0; copy < copies; ++copy) {
      const std::size_t n = host.num_rows();
      const Vector<double> part(Kokkos::view_alloc(Kokkos::WithoutInitializing, "perf::part"), n);
      Kokkos::deep_copy(exec, part, Kokkos::subview(first_y, std::make_pair(copy * n, (copy + 1) * n)));
      all = error_of(exec, part, expected) == 0 && all;
    }
    return all;
  };
  const auto seconds_of_products = [&](int num_products) {
    const Streamed resident(exec, host);
    const auto part_of = [](const auto& vectors, std::int64_t n) {
      return Kokkos::subview(vectors, std::make_pair(std::int64_t(0), n), Kokkos::ALL);
    };
    return copies * median_seconds(options.samples, [&] {
             resident.apply_repeated(exec, part_of(x, host.num_cols()), part_of(y, host.num_rows()), num_products);
             exec.fence("perf: products");
           });
  };
  bool all_right = true;
  for (const bool is_cached : {false, true}) {
    if (!is_cached && !options.from_disk) continue;
    const auto before_pass = [&] {
      if (!is_cached) file.forget();
    };
    std::vector<std::vector<double>> rooms(2 * num_readers, std::vector<double>(std::size_t(2) << 20));
    const double seconds_read = median_seconds(options.samples, [&] {
      before_pass();
      read_all(opened, num_readers, rooms);
    });
    std::printf("%s, %.2f GB from %s: plain copy %.2f GB/s, %d threads read %.2f GB/s\n", name.c_str(), bytes * 1e-9,
                is_cached ? "the system's cache" : "the disk", link, num_readers, bytes / seconds_read * 1e-9);
    for (const int num_products : options.products) {
      const FileParts parts{seconds_read, bytes / link * 1e-9, seconds_of_products(num_products)};
      double seconds_not_hidden = 0;
      for (const bool hide : {false, true}) {
        const Streamed streamed(exec, in_file, {.num_resident = 0, .hide = hide, .num_readers = num_readers});
        const bool right = is_right(streamed);
        all_right = all_right && right;
        // Passes in turn: what the last has read ahead, the next has not to read. Of a large file that is little.
        const int passes = copies > 1 ? 1 : 3;
        const double seconds = median_seconds(options.samples,
                                              [&] {
                                                for (int pass = 0; pass < passes; ++pass) {
                                                  before_pass();
                                                  streamed.apply_repeated(exec, x, y, num_products);
                                                  exec.fence("perf: products");
                                                }
                                              }) /
                               passes;
        std::printf("  %3d products, %-10s %8.1f ms: %.2f of the read%s\n", num_products,
                    hide ? "hidden" : "not hidden", seconds * 1e3, seconds_read / seconds,
                    right ? "" : " WRONG RESULT");
        std::fflush(stdout);
        results.push_back({{"case", name},
                           {"library", "ashlar"},
                           {"kernel", text("from ", is_cached ? "cached file" : "file", hide ? "" : ", not hidden")},
                           {"type", "double"},
                           {"block_size", host.block_size()},
                           {"num_products", num_products},
                           {"num_readers", num_readers},
                           {"hide", hide},
                           {"cached", is_cached},
                           {"seconds", seconds},
                           {"seconds_read", parts.seconds_read},
                           {"seconds_copy", parts.seconds_copy},
                           {"seconds_compute", parts.seconds_compute},
                           {"bytes", bytes},
                           {"gb_s", bytes / seconds * 1e-9},
                           {"limit_gb_s", bytes / seconds_read * 1e-9},
                           {"fraction", seconds_read / seconds},
                           {"verified", right},
                           {"plan", streamed.explain()}});
        if (!right) results.back().erase("seconds");
        if (!hide) {
          seconds_not_hidden = seconds;
          continue;
        }
        const double hidden_share = (seconds_not_hidden - seconds) / parts.others();
        results.back()["hidden_share"] = hidden_share;
        std::printf("  read %.1f ms, copies %.1f ms, products %.1f ms: of the two shorter %.2f are hidden\n",
                    parts.seconds_read * 1e3, parts.seconds_copy * 1e3, parts.seconds_compute * 1e3, hidden_share);
      }
    }
  }
  return all_right;
}

}  // namespace ashlar::perf
