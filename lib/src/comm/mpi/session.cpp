#include <ashlar/base/text.hpp>
#include <ashlar/comm/mpi/communicator.hpp>
#include <ashlar/comm/transport.hpp>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <vector>

#include "calls.hpp"

namespace ashlar {

namespace {

// Time limit for the other ranks to end, if this one leaves by an exception.
constexpr auto time_limit = std::chrono::seconds(20);

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
      if (!impl::wait_all_for(all_are_here, time_limit)) {
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
