#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/base/scalar.hpp>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace ashlar::testing {

/// Numbers that are not small integers, so that a sum in the wrong order or of the wrong terms shows. Magnitude <= 1.
template <scalar S>
std::vector<S> random_vector(std::size_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<S> result(n);
  for (S& entry : result) {
    if constexpr (is_complex_v<S>) {
      const auto re = static_cast<real_t<S>>(uniform(generator));
      entry = S(re, static_cast<real_t<S>>(uniform(generator)));
    } else {
      entry = static_cast<S>(uniform(generator));
    }
  }
  return result;
}

/// A device vector with these entries.
template <class Space, scalar S>
Kokkos::View<S*, Space> to_device(const std::vector<S>& host, const std::string& label = "test::vector") {
  Kokkos::View<S*, Space> view(label, host.size());
  auto mirror = Kokkos::create_mirror_view(view);
  for (std::size_t i = 0; i < host.size(); ++i) mirror(i) = host[i];
  Kokkos::deep_copy(view, mirror);
  return view;
}

/// Vectors side by side, of the numbers of random_vector, in a device view of rank 2 of any layout.
template <class View>
View random_block(std::int64_t n, int columns, unsigned seed) {
  const View block("test::block", n, columns);
  const auto host = Kokkos::create_mirror(block);
  const auto numbers = random_vector<typename View::non_const_value_type>(n * columns, seed);
  for (std::int64_t i = 0; i < n * columns; ++i) host(i / columns, i % columns) = numbers[i];
  Kokkos::deep_copy(block, host);
  return block;
}

template <class View>
std::vector<typename View::non_const_value_type> to_host(const View& view) {
  auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return {mirror.data(), mirror.data() + mirror.extent(0)};
}

/// The largest |a_i - b_i|; infinity where one of them is not finite, so that NaN never passes.
template <scalar S>
double max_difference(const std::vector<S>& a, const std::vector<S>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const double difference = std::sqrt(static_cast<double>(abs_squared(a[i] - b[i])));
    if (!(difference <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, difference);
  }
  return largest;
}

}  // namespace ashlar::testing
