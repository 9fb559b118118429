#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/io/block_file.hpp>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <streaming/from_file.hpp>
#include <support/plain_product.hpp>
#include <thread>
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
void read_all(const io::BlockFile& file, int num_threads, const std::vector<std::vector<double>>& rooms) {
  const std::int64_t per_block = file.block_shape().num_values(), num_blocks = file.num_blocks();
  const auto at_once = static_cast<std::int64_t>(rooms.front().size()) / per_block;
  std::atomic<std::int64_t> next = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < num_threads; ++i) {
    threads.emplace_back([&, to = const_cast<double*>(rooms[i].data())] {
      for (std::int64_t begin = next.fetch_add(at_once); begin < num_blocks; begin = next.fetch_add(at_once)) {
        file.read_values(begin, std::min(at_once, num_blocks - begin), to);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

bool run_from_file(const Exec& exec, const StreamingCase& matrix, const StreamingPerfOptions& options,
                   nlohmann::json& results) {
  const HostMatrix& host = matrix.host;
  const TemporaryFile file(
      (std::filesystem::path(options.folder) / text("perf_streaming.", ::getpid(), ".bcsr")).string());
  io::write_block_file(Kokkos::DefaultHostExecutionSpace(), file.path(), host);
  const auto opened = std::make_shared<const io::BlockFile>(file.path());
  const Streamed::file_type in_file{io::BlockFile(file.path())};
  const double link = plain_copy_gb_s(Kokkos::Experimental::partition_space(exec, 1)[0], host);
  const auto first_x = test_vector<double>(exec, host.num_cols());
  const Kokkos::View<double**, Kokkos::LayoutLeft, Space> x("perf::x", host.num_cols(), 1),
      y("perf::y", host.num_rows(), 1);
  Kokkos::deep_copy(exec, Kokkos::subview(x, Kokkos::ALL, 0), first_x);
  const auto expected = plain_product(exec, copy_to<Space>(exec, host), first_x, Mode::no_transpose);
  const double bytes = matrix.value_bytes();
  bool all_right = true;
  for (const bool is_cached : {false, true}) {
    const auto before_pass = [&] {
      if (!is_cached) file.forget();
    };
    const int num_readers = impl::num_readers({.num_readers = options.readers});
    const std::vector<std::vector<double>> rooms(num_readers, std::vector<double>(std::size_t(2) << 20));
    const double seconds_read = median_seconds(options.samples, [&] {
      before_pass();
      read_all(*opened, num_readers, rooms);
    });
    std::printf("%s, %.2f GB from %s: plain copy %.2f GB/s, %d threads read %.2f GB/s\n", matrix.name.c_str(),
                bytes * 1e-9, is_cached ? "the system's cache" : "the disk", link, num_readers,
                bytes / seconds_read * 1e-9);
    for (const int num_products : options.products) {
      double seconds_compute = 0;
      {
        const Streamed resident(exec, host, {.num_resident = -1});
        seconds_compute = median_seconds(options.samples, [&] {
          resident.apply_repeated(exec, x, y, num_products);
          exec.fence("perf: products");
        });
      }
      const double seconds_copy = bytes / link * 1e-9;
      double seconds_of[2] = {};
      for (const bool hide : {false, true}) {
        const Streamed streamed(exec, in_file, {.num_resident = 0, .hide = hide, .num_readers = num_readers});
        Kokkos::deep_copy(exec, y, std::numeric_limits<double>::quiet_NaN());
        streamed.apply(exec, Kokkos::subview(x, Kokkos::ALL, 0), Kokkos::subview(y, Kokkos::ALL, 0));
        const Vector<double> first_y(Kokkos::view_alloc(Kokkos::WithoutInitializing, "perf::first_y"), y.extent(0));
        Kokkos::deep_copy(exec, first_y, Kokkos::subview(y, Kokkos::ALL, 0));
        const bool right = error_of(exec, first_y, expected) == 0;
        all_right = all_right && right;
        // Passes in turn: what the last has read ahead, the next has not to read.
        constexpr int passes = 3;
        const double seconds = median_seconds(options.samples,
                                              [&] {
                                                for (int pass = 0; pass < passes; ++pass) {
                                                  before_pass();
                                                  streamed.apply_repeated(exec, x, y, num_products);
                                                  exec.fence("perf: products");
                                                }
                                              }) /
                               passes;
        seconds_of[hide] = seconds;
        std::printf("  %3d products, %-10s %8.1f ms: %.2f of the read%s\n", num_products,
                    hide ? "hidden" : "not hidden", seconds * 1e3, seconds_read / seconds,
                    right ? "" : " WRONG RESULT");
        std::fflush(stdout);
        results.push_back({{"case", matrix.name},
                           {"library", "ashlar"},
                           {"kernel", text("from ", is_cached ? "cached file" : "file", hide ? "" : ", not hidden")},
                           {"type", "double"},
                           {"block_size", host.block_size()},
                           {"num_products", num_products},
                           {"num_readers", num_readers},
                           {"hide", hide},
                           {"cached", is_cached},
                           {"seconds", seconds},
                           {"seconds_read", seconds_read},
                           {"seconds_copy", seconds_copy},
                           {"seconds_compute", seconds_compute},
                           {"bytes", bytes},
                           {"gb_s", bytes / seconds * 1e-9},
                           {"limit_gb_s", bytes / seconds_read * 1e-9},
                           {"fraction", seconds_read / seconds},
                           {"verified", right},
                           {"plan", streamed.explain()}});
        if (!right) results.back().erase("seconds");
      }
      const double longest = std::max({seconds_read, seconds_copy, seconds_compute});
      const double others = seconds_read + seconds_copy + seconds_compute - longest;
      const double hidden_share = (seconds_of[false] - seconds_of[true]) / others;
      results.back()["hidden_share"] = hidden_share;
      std::printf("  read %.1f ms, copies %.1f ms, products %.1f ms: of the two shorter %.2f are hidden\n",
                  seconds_read * 1e3, seconds_copy * 1e3, seconds_compute * 1e3, hidden_share);
    }
  }
  return all_right;
}

}  // namespace ashlar::perf
