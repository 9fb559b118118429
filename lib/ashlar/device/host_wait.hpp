#pragma once

namespace ashlar {

/// How threads of the host wait for an event.
///
/// Where they sleep, the device interrupts a processor each time that it passes the mark, whether anybody waits or not,
/// and to enqueue the mark takes the host longer: 64 us instead of 2, on an H200 in a virtual machine.
enum class HostWait {
  spins,   ///< keeps a processor busy: for events that instances wait for
  sleeps,  ///< leaves the processor to others: for threads that wait long, for few events
};

}  // namespace ashlar
