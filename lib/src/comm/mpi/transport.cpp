#include <mpi.h>

#include <algorithm>
#include <array>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/mpi/communicator.hpp>
#include <ashlar/comm/transport.hpp>
#include <climits>
#include <cstring>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "calls.hpp"
#include "message.hpp"

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>  // Open MPI and its kin
#endif

namespace ashlar::impl {

namespace {

// Open MPI has a function for each kind of device, and a macro that tells if the function exists; MPICH has one
// function for all.

bool says_it_takes_cuda() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA)
  int is_supported = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &is_supported) == MPI_SUCCESS && is_supported != 0;
#else
  return false;
#endif
}

bool says_it_takes_hip() {
#if defined(MPIX_ROCM_AWARE_SUPPORT)
  return MPIX_Query_rocm_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_HIP)
  int is_supported = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_HIP, &is_supported) == MPI_SUCCESS && is_supported != 0;
#else
  return false;
#endif
}

/// True if the MPI library says that it takes messages in device memory of this kind; false if it cannot be asked.
bool mpi_says_it_takes(MemoryKind kind) {
  return (kind == MemoryKind::cuda && says_it_takes_cuda()) || (kind == MemoryKind::hip && says_it_takes_hip());
}

// The largest tag of messages of the caller.
constexpr int largest_tag = 1023;
constexpr int all_to_all_tag = largest_tag + 1;

/// Starts a collective by begin(request), and waits until it has ended.
template <class Begin>
void complete(const Begin& begin) {
  std::vector<MPI_Request> requests(1, MPI_REQUEST_NULL);
  {
    const std::lock_guard alone(one_at_a_time);
    begin(requests.data());
  }
  wait_all(requests);
}

std::size_t sum_of(const std::vector<std::size_t>& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::size_t{0});
}

/// The first line, up to a comma, of the version text of the MPI library: "Open MPI v5.0.7".
std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING + 1> said{};
  int length = 0;
  check_mpi(MPI_Get_library_version(said.data(), &length), "MPI_Get_library_version");
  const std::string_view all(said.data());
  std::string line;
  for (const char c : all.substr(0, all.find_first_of(",\n"))) {
    const bool is_space = c == ' ' || c == '\t';
    if (!is_space) line += c;
    if (is_space && !line.empty() && line.back() != ' ') line += ' ';
  }
  return line;
}

}  // namespace

class MpiTransport final : public Transport {
 public:
  /// Collective over `comm`.
  MpiTransport(std::shared_ptr<const MpiHandle> comm, MpiOptions options, std::string host_name)
      : comm_(std::move(comm)), options_(options), host_name_(std::move(host_name)) {
    check_mpi(MPI_Comm_rank(comm_->get(), &rank_), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(comm_->get(), &size_), "MPI_Comm_size");

    using Name = std::array<char, 256>;
    Name mine{};
    host_name_.resize(std::min(host_name_.size(), mine.size()));
    std::copy(host_name_.begin(), host_name_.end(), mine.begin());
    std::vector<Name> names(static_cast<std::size_t>(size_));
    all_gather(mine.data(), sizeof mine, names.data());
    num_hosts_ = static_cast<int>(std::set<Name>(names.begin(), names.end()).size());
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string name() const override { return "mpi"; }
  std::string explain() const override {
    int level = MPI_THREAD_SINGLE;
    check_mpi(MPI_Query_thread(&level), "MPI_Query_thread");
    return text(library_version(), ", thread level ", thread_level_name(level), ", persistent requests");
  }
  std::string host_name() const override { return host_name_; }
  int num_hosts() const override { return num_hosts_; }
  Reach reach(MemoryKind kind) const override {
    if (kind == MemoryKind::host) return Reach::certain;
    return mpi_says_it_takes(kind) ? Reach::claimed : Reach::none;
  }

  void barrier() override {
    complete([&](MPI_Request* request) { check_mpi(MPI_Ibarrier(comm_->get(), request), "MPI_Ibarrier"); });
  }

  void all_gather(const void* mine, std::size_t bytes, void* all) override {
    if (bytes > options_.largest_piece) {
      return all_gather_varying(mine, std::vector<std::size_t>(static_cast<std::size_t>(size_), bytes), all);
    }
    const int count = static_cast<int>(bytes);
    complete([&](MPI_Request* request) {
      check_mpi(MPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm_->get(), request), "MPI_Iallgather");
    });
  }

  void all_gather_varying(const void* mine, const std::vector<std::size_t>& bytes_of, void* all) override {
    const auto own = bytes_of[static_cast<std::size_t>(rank_)];
    if (sum_of(bytes_of) > options_.largest_piece) {  // MPI counts places as well: one broadcast for each rank.
      auto* place = static_cast<std::byte*>(all);
      for (int r = 0; r < size_; ++r) {
        const std::size_t bytes = bytes_of[static_cast<std::size_t>(r)];
        if (r == rank_ && own > 0) std::memcpy(place, mine, own);
        broadcast(place, bytes, r);
        place += bytes;
      }
      return;
    }
    const std::vector<int> counts(bytes_of.begin(), bytes_of.end());
    std::vector<int> places(counts.size(), 0);
    std::partial_sum(counts.begin(), counts.end() - 1, places.begin() + 1);
    complete([&](MPI_Request* request) {
      check_mpi(MPI_Iallgatherv(mine, static_cast<int>(own), MPI_BYTE, all, counts.data(), places.data(), MPI_BYTE,
                                comm_->get(), request),
                "MPI_Iallgatherv");
    });
  }

  void all_to_all(const void* send, const std::vector<std::size_t>& send_bytes, void* receive,
                  const std::vector<std::size_t>& receive_bytes) override {
    // By messages between ranks that have data for each other: most pairs have none.
    std::vector<MPI_Request> requests;
    const auto post = [&](std::size_t bytes, const auto& post_piece) {
      for (std::size_t begin = 0; begin < bytes; begin += options_.largest_piece) {
        const int count = static_cast<int>(std::min(bytes - begin, options_.largest_piece));
        const std::lock_guard alone(one_at_a_time);
        post_piece(begin, count, requests.emplace_back(MPI_REQUEST_NULL));
      }
    };
    auto* to = static_cast<std::byte*>(receive);
    for (int r = 0; r < size_; ++r) {
      const std::size_t bytes = receive_bytes[static_cast<std::size_t>(r)];
      post(r == rank_ ? 0 : bytes, [&](std::size_t begin, int count, MPI_Request& request) {
        check_mpi(MPI_Irecv(to + begin, count, MPI_BYTE, r, all_to_all_tag, comm_->get(), &request), "MPI_Irecv");
      });
      to += bytes;
    }
    const auto* from = static_cast<const std::byte*>(send);
    for (int r = 0; r < size_; ++r) {
      const std::size_t bytes = send_bytes[static_cast<std::size_t>(r)];
      post(r == rank_ ? 0 : bytes, [&](std::size_t begin, int count, MPI_Request& request) {
        check_mpi(MPI_Isend(from + begin, count, MPI_BYTE, r, all_to_all_tag, comm_->get(), &request), "MPI_Isend");
      });
      if (r == rank_ && bytes > 0) {
        const auto place = std::accumulate(receive_bytes.begin(), receive_bytes.begin() + r, std::size_t{0});
        std::memcpy(static_cast<std::byte*>(receive) + place, from, bytes);
      }
      from += bytes;
    }
    wait_all(requests);
  }

  void broadcast(void* data, std::size_t bytes, int root) override {
    for (std::size_t begin = 0; begin < bytes; begin += options_.largest_piece) {
      const int count = static_cast<int>(std::min(bytes - begin, options_.largest_piece));
      complete([&](MPI_Request* request) {
        check_mpi(MPI_Ibcast(static_cast<std::byte*>(data) + begin, count, MPI_BYTE, root, comm_->get(), request),
                  "MPI_Ibcast");
      });
    }
  }

  std::unique_ptr<Transport> split(int colour, int key) override {
    // Colours of MPI are not negative, so the colours are numbered. The gathering also keeps ranks from waiting in
    // MPI_Comm_split, where MPI would occupy their processors.
    std::vector<int> colours(static_cast<std::size_t>(size_));
    all_gather(&colour, sizeof colour, colours.data());
    const std::set<int> all(colours.begin(), colours.end());
    const auto number = static_cast<int>(std::distance(all.begin(), all.find(colour)));
    MPI_Comm part = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split(comm_->get(), number, key, &part), "MPI_Comm_split");
    return std::make_unique<MpiTransport>(std::make_shared<const MpiHandle>(part), options_, host_name_);
  }

  std::unique_ptr<Message> send(const void* data, std::size_t bytes, int to, int tag) override {
    require(to, tag);
    // MPI 3.0 and later take send buffers as const; MpiTransfer holds either kind.
    auto* const from = static_cast<std::byte*>(const_cast<void*>(data));
    return std::make_unique<MpiTransfer>(comm_, MpiTransfer::Direction::send, from, bytes, to, tag,
                                         options_.largest_piece);
  }

  std::unique_ptr<Message> receive(void* data, std::size_t bytes, int from, int tag) override {
    require(from, tag);
    return std::make_unique<MpiTransfer>(comm_, MpiTransfer::Direction::receive, static_cast<std::byte*>(data), bytes,
                                         from, tag, options_.largest_piece);
  }

  std::unique_ptr<Message> gathering(const void* mine, std::size_t bytes, void* all) override {
    if (bytes > INT_MAX) {
      throw CommError(text("a gathering of ", bytes, " bytes a rank"), text("MPI counts to ", INT_MAX),
                      "gather less in one call");
    }
    return std::make_unique<MpiGathering>(comm_, mine, static_cast<int>(bytes), all);
  }

  [[noreturn]] void abort(int exit_code) noexcept override { abort_mpi(exit_code); }

 private:
  void require(int other, int tag) const {
    if (other >= 0 && other < size_ && tag >= 0 && tag <= largest_tag) return;
    throw CommError(text("no message with tag ", tag, " between ranks ", rank_, " and ", other),
                    text("there are ", size_, " ranks, and tags 0 to ", largest_tag),
                    "use a rank and a tag in this range");
  }

  std::shared_ptr<const MpiHandle> comm_;
  MpiOptions options_;
  int rank_ = 0, size_ = 1, num_hosts_ = 1;
  std::string host_name_;
};

}  // namespace ashlar::impl

namespace ashlar {

Communicator borrow_mpi(MPI_Comm comm, MpiOptions options) {
  if (!impl::mpi_is_alive()) {
    throw CommError("MPI cannot be used", "it is not initialised, or has ended",
                    "make an MpiSession, or call MPI_Init_thread, before");
  }
  if (options.largest_piece < 1 || options.largest_piece > INT_MAX) {
    throw ArgumentError(text("messages in pieces of ", options.largest_piece, " bytes"),
                        text("MPI counts from 1 to ", INT_MAX), "give a number in between");
  }
  if (comm == MPI_COMM_NULL) {
    throw ArgumentError("the MPI communicator is MPI_COMM_NULL", "this rank is in no group",
                        "leave it out, or give it a communicator of its own");
  }
  int joins_two = 0;
  impl::check_mpi(MPI_Comm_test_inter(comm, &joins_two), "MPI_Comm_test_inter");
  if (joins_two != 0) {
    throw ArgumentError("the MPI communicator joins two groups", "ranks of one group are wanted",
                        "merge them with MPI_Intercomm_merge");
  }
  MPI_Comm copy = MPI_COMM_NULL;
  impl::check_mpi(MPI_Comm_dup(comm, &copy), "MPI_Comm_dup");
  return Communicator(
      std::make_unique<impl::MpiTransport>(std::make_shared<const impl::MpiHandle>(copy), options, impl::host_name()));
}

}  // namespace ashlar
