#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/multigrid/operator.hpp>
#include <ashlar/multigrid/smoothers/chebyshev.hpp>
#include <ashlar/multigrid/smoothers/gauss_seidel.hpp>
#include <ashlar/multigrid/smoothers/jacobi.hpp>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ashlar::multigrid {

/// The smoothers in the order of the enumeration. To add one: a file in smoothers/, its name in methods.hpp, and its
/// type here.
using Smoothers = std::tuple<GaussSeidel, Chebyshev, Jacobi>;

/// Calls work(smoother) with the object of its type.
template <class Work>
void with_smoother(Smoother smoother, const Work& work) {
  const auto call = [&]<std::size_t... numbers>(std::index_sequence<numbers...>) {
    ((smoother == Smoother(numbers) ? work(std::tuple_element_t<numbers, Smoothers>()) : void()), ...);
  };
  call(std::make_index_sequence<std::tuple_size_v<Smoothers>>());
}

namespace impl {
/// "ashlar::multigrid::smooth[gsrb]", made once.
template <class Kind>
const std::string& sweep_label() {
  static const std::string label = "ashlar::multigrid::smooth[" + std::string(Kind::name) + "]";
  return label;
}

/// Fills the ghost cells of x, and launches the sweep that a body does.
template <class Exec, class Real, class Vector, class Body>
void launch_sweep(const std::string& label, const Exec& exec, const Level<Exec, Real>& level, const Vector& x,
                  const Body& body) {
  with_ghosts(exec, level, x, Phase::smooth, [&](CellsOf<Exec> cells) {
    if constexpr (requires { Body::is_in_place; }) {
      for_colour(label, exec, level, cells, body.colour, body);
    } else {
      for_fluxes(label, exec, level, cells, body);
    }
  });
}
}  // namespace impl

/// Smooths A x = f on x, or with `back` by the adjoint. Uses the level's temp.
///
/// Async    enqueued on `exec`; no fence, no allocation. (The same is true of the half sweep.)
template <class Exec, class Real, class Vector>
void smooth(const Exec& exec, const Level<Exec, Real>& level, Smoother smoother, const Vector& x, const Vector& f,
            SmoothingOrder order = SmoothingOrder::forth) {
  with_smoother(smoother, [&]<class Kind>(const Kind&) {
    Kind::for_each_sweep(level, x, f, order, [&](const Vector& now, const auto& body) {
      impl::launch_sweep(impl::sweep_label<Kind>(), exec, level, now, body);
    });
  });
}

/// GaussSeidel::half_sweep() as kernels.
template <class Exec, class Real, class Vector>
void gauss_seidel_half_sweep(const Exec& exec, const Level<Exec, Real>& level, Vector& x, Vector& temp, const Vector& f,
                             int colour) {
  GaussSeidel::half_sweep(level, x, temp, f, colour, [&](const Vector& now, const auto& body) {
    impl::launch_sweep(impl::sweep_label<GaussSeidel>(), exec, level, now, body);
  });
}

}  // namespace ashlar::multigrid
