#include "check.hpp"

#include <ashlar/base/text.hpp>
#include <ashlar/comm/error.hpp>
#include <chrono>
#include <thread>

namespace ashlar::impl {

namespace {

constexpr auto patience = std::chrono::seconds(60);
constexpr auto pause = std::chrono::microseconds(20);

}  // namespace

ncclResult_t settled(ncclResult_t result, ncclComm_t comm) {
  const auto begin = std::chrono::steady_clock::now();
  while (result == ncclInProgress && comm != nullptr) {
    if (std::chrono::steady_clock::now() - begin > patience) return ncclSystemError;
    std::this_thread::sleep_for(pause);
    const ncclResult_t asked = ncclCommGetAsyncError(comm, &result);
    if (asked != ncclSuccess) return asked;
  }
  return result;
}

std::string complaint(ncclResult_t result, ncclComm_t comm) {
  const char* const last = ncclGetLastError(comm);
  const std::string more = last == nullptr ? "" : last;
  return text(ncclGetErrorString(result), more.empty() ? "" : ": ", more);
}

void check_nccl(ncclResult_t result, const char* call, ncclComm_t comm) {
  if (result == ncclSuccess) return;
  throw CommError(text(call, " failed"), complaint(result, comm),
                  "set NCCL_DEBUG=INFO to see more, or take another exchange mode");
}

std::string nccl_version() {
  int version = 0;
  check_nccl(ncclGetVersion(&version), "ncclGetVersion");
  return text(version / 10000, ".", version / 100 % 100, ".", version % 100);
}

}  // namespace ashlar::impl
