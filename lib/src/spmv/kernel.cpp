#include <ashlar/spmv/impl/choice/choose_launch.hpp>
#include <ashlar/spmv/impl/launch/kernel_list.hpp>
#include <ashlar/spmv/impl/launch/with_kernel.hpp>
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

namespace ashlar::impl {

bool has_single(Kernel kernel) {
  return with_kernel(kernel, [](auto k) { return k.has_single; });
}

bool has_multi(Kernel kernel) {
  return with_kernel(kernel, [](auto k) { return k.has_multi; });
}

bool has_lanes(Kernel kernel) {
  return with_kernel(kernel, [](auto k) { return k.has_lanes; });
}

int bytes_of_load(Kernel kernel, const BlockShape& shape, int value_bytes) {
  return with_kernel(kernel, [&](auto k) { return k.bytes_of_load(shape, value_bytes); });
}

std::string describe(const SpmvLaunch& launch) {
  return with_kernel(launch.kernel, [&](auto k) { return k.describe(launch); });
}

}  // namespace ashlar::impl

namespace ashlar {

namespace {

struct Names {
  Mode mode;
  std::string_view name, letter, symbol;
};

constexpr Names all_modes[] = {{Mode::no_transpose, "no_transpose", "N", "A"},
                               {Mode::transpose, "transpose", "T", "A^T"},
                               {Mode::conjugate, "conjugate", "C", "conj(A)"},
                               {Mode::conjugate_transpose, "conjugate_transpose", "H", "A^H"}};

const Names& names_of(Mode mode) {
  for (const Names& names : all_modes) {
    if (names.mode == mode) return names;
  }
  return all_modes[0];
}

}  // namespace

std::string_view to_string(Mode mode) { return names_of(mode).name; }

std::string_view symbol_of(Mode mode) { return names_of(mode).symbol; }

std::optional<Mode> mode_from_string(std::string_view name) {
  for (const Names& names : all_modes) {
    if (name == names.name || name == names.letter) return names.mode;
  }
  return std::nullopt;
}

}  // namespace ashlar
