#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

// This folder is compiled with -ffast-math: compilers then assume that no number is NaN or infinite. Both are made, and
// compared, by their bits here.

namespace ashlar::testing {

struct NamedNumber {
  const char* name;
  double value;
};

/// Numbers that end a solve.
inline std::array<NamedNumber, 3> not_finite_numbers() {
  const auto of_bits = [](std::uint64_t bits) { return Kokkos::bit_cast<double>(bits); };
  return {{{"NaN", of_bits(0x7ff8000000000000u)},
           {"infinity", of_bits(0x7ff0000000000000u)},
           {"-infinity", of_bits(0xfff0000000000000u)}}};
}

/// All entries of a view, or one of them, become `value`. (Compiled so, Kokkos::deep_copy() takes NaN for 0.)
template <class View>
void fill(const View& view, double value) {
  const auto host = Kokkos::create_mirror_view(view);
  for (std::size_t i = 0; i < host.size(); ++i) host.data()[i] = value;
  Kokkos::deep_copy(view, host);
}
template <class View>
void set_entry(const View& view, std::size_t place, double value) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  host.data()[place] = value;
  Kokkos::deep_copy(view, host);
}

inline std::vector<std::uint64_t> bits_of(const std::vector<double>& numbers) {
  std::vector<std::uint64_t> result;
  for (const double number : numbers) result.push_back(Kokkos::bit_cast<std::uint64_t>(number));
  return result;
}

}  // namespace ashlar::testing
