#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/krylov/checkpoint.hpp>
#include <ashlar/krylov/impl/on_all_parts.hpp>
#include <ashlar/krylov/impl/solve_state.hpp>
#include <ashlar/krylov/stopping.hpp>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

namespace ashlar::impl {

/// Saves and restores a solve between two iterations, as its options ask for. Without them, and for methods without
/// checkpoints, it does nothing.
template <class Method>
class Checkpoints {
 public:
  using Exec = typename Method::Exec;
  using Scalar = typename Method::Scalar;
  using Vector = typename Method::Vector;
  using State = SolveState<typename Method::Scalars>;

  explicit Checkpoints(const typename Method::Options& options) {
    if constexpr (Method::has_checkpoints) asked_ = &options.checkpoints;
  }

  bool saves() const { return asked_ != nullptr && asked_->save; }
  bool is_due() const { return saves() && asked_->is_due && asked_->is_due(); }
  bool resumes() const { return asked_ != nullptr && asked_->resume != nullptr; }

  /// Waits for `exec`.
  void save(const Exec& exec, const Method& method, const Vector& best_x, const std::string& launch, double scale,
            const State& state) const {
    if constexpr (Method::has_checkpoints) {
      CgCheckpoint checkpoint{launch, scalar_name<Scalar>(), scale, state.now, state.account, state.norms, {}};
      for (const Vector& vector : vectors(method, best_x)) {
        std::vector<std::byte>& bytes = checkpoint.vectors.emplace_back(vector.extent(0) * sizeof(Scalar));
        Kokkos::deep_copy(exec, host_view(bytes.data(), vector.extent(0)), vector);
      }
      exec.fence("ashlar::solver: checkpoint");
      asked_->save(checkpoint);
    }
  }

  /// The state of the solve that was saved, with its vectors in place; the scalars get `limits`, but for the target,
  /// which `limits` gets of them. Collective. Throws ArgumentError if the checkpoint is of another solve, as far as it
  /// shows.
  State resume(const Exec& exec, const Method& method, const Vector& best_x, const std::string& launch, double scale,
               StoppingLimits& limits) const {
    State state;
    if constexpr (Method::has_checkpoints) {
      const CgCheckpoint& checkpoint = *asked_->resume;
      const std::vector<Vector> to = vectors(method, best_x);
      check_on_all_parts(method.space(), Method::name, [&] {
        const auto require = [](bool holds, const std::string& problem) {
          if (holds) return;
          throw ArgumentError("the checkpoint is " + problem, "a solve goes on from a checkpoint of its own alone",
                              "start without it, or with the system and the options of the solve before");
        };
        require(checkpoint.scalar == scalar_name<Scalar>(), "of vectors of " + checkpoint.scalar);
        require(checkpoint.launch == launch, "of iterations launched as " + checkpoint.launch);
        require(checkpoint.scale == scale, "of another right-hand side");
        require(checkpoint.vectors.size() == to.size(), "of another preconditioner");
        for (std::size_t k = 0; k < to.size(); ++k) {
          require(checkpoint.vectors[k].size() == to[k].extent(0) * sizeof(Scalar), "of another number of rows");
        }
      });
      for (std::size_t k = 0; k < to.size(); ++k) {
        Kokkos::deep_copy(exec, to[k], host_view(checkpoint.vectors[k].data(), to[k].extent(0)));
      }
      state = {checkpoint.scalars, checkpoint.account, checkpoint.norms};
      limits.target = state.now.limits.target;
      state.now.limits = limits;
      const Kokkos::View<const CgScalars, Kokkos::HostSpace> now(&state.now);
      Kokkos::deep_copy(exec, method.memory().scalars, now);
      exec.fence("ashlar::solver: resumed");
    }
    return state;
  }

 private:
  static std::vector<Vector> vectors(const Method& method, const Vector& best_x) {
    std::vector<Vector> all = {method.x(), best_x};
    for (const Vector& vector : method.state()) all.push_back(vector);
    return all;
  }

  template <class Byte>
  static auto host_view(Byte* bytes, std::size_t n) {
    using Entry = std::conditional_t<std::is_const_v<Byte>, const Scalar, Scalar>;
    return Kokkos::View<Entry*, Kokkos::HostSpace>(reinterpret_cast<Entry*>(bytes), n);
  }

  const CgCheckpoints* asked_ = nullptr;
};

}  // namespace ashlar::impl
