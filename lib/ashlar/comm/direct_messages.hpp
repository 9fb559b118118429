#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/impl/trial_memory.hpp>
#include <ashlar/comm/memory_kind_of.hpp>
#include <memory>

namespace ashlar {

/// Whether messages of this group may go from and to the memory of `exec`, on all of its ranks. Of the host's memory
/// that is known. Of others it is tried, where the transport says on every rank that it can.
///
/// Libraries that say so have brought wrong data. So known data go from memory to memory: to the next rank and to the
/// next one on the same host, twice each with the same buffers, in each class of sizes that libraries send by another
/// way. All bytes are looked at where they came, those beside the message as well. A transport that does not say so is
/// not tried: it may crash.
///
/// Collective. All ranks get the same answer, whatever kinds of memory they have. The group remembers it, and so do
/// those that are split from it: the next call tries nothing. Communicator::explain() says it.
///
/// Memory   two buffers of 8 MiB, freed on return.
/// Async    waits for `exec`.
/// Throws   on all ranks together, where there is no memory. What the transport throws in a trial is an answer.
template <execution_space Exec>
DirectMessages find_direct_messages(const Exec& exec, const Communicator& comm) {
  return impl::find_direct_messages(comm, memory_kind_of<typename Exec::memory_space>,
                                    [&] { return std::make_unique<impl::TrialMemoryOf<Exec>>(exec); });
}

}  // namespace ashlar
