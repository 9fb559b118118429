// A tool, loaded by Kokkos, that hears nothing and tells Kokkos not to fence around kernels.
#include <cstdint>
#include <impl/Kokkos_Profiling_C_Interface.h>

extern "C" void kokkosp_request_tool_settings(const std::uint32_t, Kokkos_Tools_ToolSettings* settings) {
  settings->requires_global_fencing = false;
}
