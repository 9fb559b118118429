#include "check.hpp"

#include <ashlar/base/text.hpp>
#include <ashlar/comm/error.hpp>
#include <string>

namespace ashlar::impl {

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char said[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (MPI_Error_string(code, said, &length) != MPI_SUCCESS) length = 0;
  throw CommError(text(call, " failed"),
                  length > 0 ? std::string(said, static_cast<std::size_t>(length)) : text("error ", code, " of MPI"),
                  "end the job, and see whether all ranks and the network are well");
}

bool mpi_is_alive() {
  int begun = 0, ended = 0;
  return MPI_Initialized(&begun) == MPI_SUCCESS && MPI_Finalized(&ended) == MPI_SUCCESS && begun != 0 && ended == 0;
}

}  // namespace ashlar::impl
