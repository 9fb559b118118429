#include <array>
#include <ashlar/spmv/kernel.hpp>
#include <utility>

namespace ashlar {

namespace {
constexpr std::array<std::pair<Kernel, std::string_view>, 8> names{{
    {Kernel::automatic, "auto"},
    {Kernel::by_block, "by_block"},
    {Kernel::by_column, "by_column"},
    {Kernel::by_line, "by_line"},
    {Kernel::by_tile, "by_tile"},
    {Kernel::tensor_core, "tensor_core"},
    {Kernel::row_per_thread, "row_per_thread"},
    {Kernel::block_row_per_thread, "block_row_per_thread"},
}};
}  // namespace

std::string_view to_string(Kernel kernel) {
  for (const auto& [value, name] : names) {
    if (value == kernel) return name;
  }
  return "unknown";
}

std::optional<Kernel> kernel_from_string(std::string_view name) {
  for (const auto& [value, known] : names) {
    if (known == name) return value;
  }
  return std::nullopt;
}

}  // namespace ashlar
