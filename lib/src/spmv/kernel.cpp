#include <ashlar/spmv/impl/kernel_list.hpp>
#include <ashlar/spmv/kernel.hpp>

namespace ashlar {

namespace {
constexpr std::string_view name_of_automatic = "auto";
}

std::string_view to_string(Kernel kernel) {
  if (kernel == Kernel::automatic) return name_of_automatic;
  for (const auto& [value, name] : impl::kernel_names) {
    if (value == kernel) return name;
  }
  return "unknown";
}

std::optional<Kernel> kernel_from_string(std::string_view name) {
  if (name == name_of_automatic) return Kernel::automatic;
  for (const auto& [value, known] : impl::kernel_names) {
    if (known == name) return value;
  }
  return std::nullopt;
}

const std::vector<Kernel>& all_kernels() {
  static const std::vector<Kernel> kernels = [] {
    std::vector<Kernel> result;
    for (const auto& [value, name] : impl::kernel_names) result.push_back(value);
    return result;
  }();
  return kernels;
}

}  // namespace ashlar
