#pragma once

#include <string>

namespace ashlar {

/// The host's processor, as its operating system calls it; "unknown processor" where that does not say.
std::string processor_name();

/// Whether the host's processor is one of Intel's; asks the operating system once.
bool is_intel_processor();

}  // namespace ashlar
