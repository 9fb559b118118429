#pragma once

#include <ashlar/comm/nccl/transport.hpp>
#include <string>

namespace ashlar::impl {

/// What a call of NCCL returns, once that is settled: a communicator that does not block has a call go on after it has
/// returned. Gives up after a minute.
ncclResult_t settled(ncclResult_t result, ncclComm_t comm);

/// What NCCL says of a failure: its name for it, and what it said last.
std::string complaint(ncclResult_t result, ncclComm_t comm);

/// Throws a CommError where `result` is not success. `call` is the name of the function.
void check_nccl(ncclResult_t result, const char* call, ncclComm_t comm = nullptr);

/// "2.28.9"
std::string nccl_version();

}  // namespace ashlar::impl
