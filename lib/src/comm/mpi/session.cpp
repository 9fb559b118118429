#include <unistd.h>

#include <ashlar/base/text.hpp>
#include <ashlar/comm/mpi/communicator.hpp>
#include <ashlar/comm/transport.hpp>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "calls.hpp"

namespace ashlar::impl {

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char said[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (MPI_Error_string(code, said, &length) != MPI_SUCCESS) length = 0;
  throw CommError(text(call, " failed"),
                  length > 0 ? std::string(said, static_cast<std::size_t>(length)) : text("error ", code, " of MPI"),
                  "end the job, and check the other ranks and the network");
}

bool mpi_is_alive() {
  int begun = 0, ended = 0;
  return MPI_Initialized(&begun) == MPI_SUCCESS && MPI_Finalized(&ended) == MPI_SUCCESS && begun != 0 && ended == 0;
}

MpiHandle::MpiHandle(MPI_Comm comm) : comm_(comm) {
  check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

MpiHandle::~MpiHandle() {
  if (mpi_is_alive()) MPI_Comm_free(&comm_);
}

namespace {

using Clock = std::chrono::steady_clock;

// A message within a host takes microseconds. Long messages progress at each poll: with sleep after 1 ms, 128 MB took a
// third longer. After 10 ms of waiting, another 0.1 ms matters little.
constexpr auto poll_time = std::chrono::microseconds(50);
constexpr auto yield_time = std::chrono::milliseconds(10);
constexpr auto sleep_time = std::chrono::microseconds(20);
constexpr auto for_ever = std::chrono::hours(1000000);

}  // namespace

bool test_all(std::vector<MPI_Request>& requests) {
  const std::lock_guard alone(one_at_a_time);
  int done = 0;
  if (requests.size() == 1) {  // the usual case, and its errors say more
    check_mpi(MPI_Test(requests.data(), &done, MPI_STATUS_IGNORE), "MPI_Test");
  } else {
    const int count = static_cast<int>(requests.size());
    check_mpi(MPI_Testall(count, requests.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
  }
  return done != 0;
}

bool wait_all_for(std::vector<MPI_Request>& requests, std::chrono::milliseconds limit) {
  const Clock::time_point begin = Clock::now();
  while (!test_all(requests)) {
    const auto waited = Clock::now() - begin;
    if (waited > limit) return false;
    if (waited > yield_time) {
      std::this_thread::sleep_for(sleep_time);
    } else if (waited > poll_time) {
      std::this_thread::yield();
    }
  }
  return true;
}

void wait_all(std::vector<MPI_Request>& requests) { wait_all_for(requests, for_ever); }

void abort_mpi(MPI_Comm comm, const char* why) noexcept {
  int rank = 0;
  if (MPI_Comm_rank(comm, &rank) != MPI_SUCCESS) rank = -1;
  const std::string line = text("ashlar: rank ", rank, ": ", why, "\n");
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  abort_mpi(1);
}

void abort_mpi(int exit_code) noexcept {
  // MPI_COMM_WORLD, since ranks outside of our duplicate belong to the job, too.
  if (mpi_is_alive()) MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace ashlar::impl

namespace ashlar {

namespace {

// Time limit for the other ranks to end, if this one leaves by an exception.
constexpr auto time_to_end = std::chrono::seconds(20);

/// Called before MPI is initialised. Open MPI 6.0.0rc2 loses messages between ranks of a host if two threads of a rank
/// send, and both ranks wait for ever. It does not without the "fast boxes" of its shared memory. Other MPIs ignore the
/// variable.
void keep_messages_of_threads() { setenv("OMPI_MCA_btl_sm_fbox_max", "0", 0); }

}  // namespace

MpiSession::MpiSession(int level) : exceptions_(std::uncaught_exceptions()) {
  int begun = 0, ended = 0;
  impl::check_mpi(MPI_Initialized(&begun), "MPI_Initialized");
  impl::check_mpi(MPI_Finalized(&ended), "MPI_Finalized");
  if (ended != 0) {
    throw CommError("MPI cannot be initialised", "it has ended, and starts only once",
                    "make one session for the whole program");
  }
  if (begun == 0) {
    if (level == MPI_THREAD_MULTIPLE) keep_messages_of_threads();
    impl::check_mpi(MPI_Init_thread(nullptr, nullptr, level, &level_), "MPI_Init_thread");
    is_owner_ = true;
  } else {
    impl::check_mpi(MPI_Query_thread(&level_), "MPI_Query_thread");
  }
  if (level_ < level) {
    if (is_owner_) MPI_Finalize();
    throw CommError(text("MPI has thread level ", impl::thread_level_name(level_)),
                    text("the program needs ", impl::thread_level_name(level)),
                    begun != 0 ? "initialise it with MPI_Init_thread and that level"
                               : "take an MPI that was built with thread support");
  }
  if (is_owner_) impl::check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &farewell_), "MPI_Comm_dup");
}

MpiSession::~MpiSession() {
  if (!is_owner_ || !impl::mpi_is_alive()) return;
  if (std::uncaught_exceptions() > exceptions_) {
    try {
      // If all ranks arrive, they share the exception, and MPI ends normally.
      std::vector<MPI_Request> all_are_here(1, MPI_REQUEST_NULL);
      impl::check_mpi(MPI_Ibarrier(farewell_, all_are_here.data()), "MPI_Ibarrier");
      if (!impl::wait_all_for(all_are_here, time_to_end)) {
        impl::abort_mpi(farewell_, "left by an exception, and other ranks have not");
      }
    } catch (const std::exception& error) {
      impl::abort_mpi(farewell_, error.what());
    }
  }
  MPI_Comm_free(&farewell_);
  MPI_Finalize();
}

std::string MpiSession::thread_level_name() const { return impl::thread_level_name(level_); }

Communicator MpiSession::world() const { return borrow_mpi(MPI_COMM_WORLD); }

}  // namespace ashlar
