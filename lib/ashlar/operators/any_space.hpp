#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace ashlar {

/// An inner-product space of any type, for one execution space. Copies share it.
///
/// Shapes, memory and exceptions are those that the wrapped space documents. Each sum takes one virtual call more, and
/// no allocation.
template <execution_space Exec>
class AnySpace {
 public:
  using Sums = Kokkos::View<double*, typename Exec::memory_space>;

  template <inner_product_space<Exec, Sums> Space>
  explicit AnySpace(Space space) : held_(std::make_shared<Held<Space>>(std::move(space))) {}

  std::int64_t num_local() const { return held_->num_local(); }
  std::int64_t num_global() const { return held_->num_global(); }
  void sum_begin(const Exec& exec, const Sums& sums) const { held_->sum_begin(exec, sums); }
  void sum_end(const Exec& exec, const Sums& sums) const { held_->sum_end(exec, sums); }
  int agree_max(int number) const { return held_->agree_max(number); }
  bool is_stream_ordered() const { return held_->is_stream_ordered(); }
  bool is_capturable() const { return held_->is_capturable(); }
  void check() const { held_->check(); }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual std::int64_t num_local() const = 0;
    virtual std::int64_t num_global() const = 0;
    virtual void sum_begin(const Exec&, const Sums&) const = 0;
    virtual void sum_end(const Exec&, const Sums&) const = 0;
    virtual int agree_max(int) const = 0;
    virtual bool is_stream_ordered() const = 0;
    virtual bool is_capturable() const = 0;
    virtual void check() const = 0;
  };
  template <class Space>
  struct Held final : Base {
    explicit Held(Space given) : space(std::move(given)) {}
    std::int64_t num_local() const override { return space.num_local(); }
    std::int64_t num_global() const override { return space.num_global(); }
    void sum_begin(const Exec& exec, const Sums& sums) const override { space.sum_begin(exec, sums); }
    void sum_end(const Exec& exec, const Sums& sums) const override { space.sum_end(exec, sums); }
    int agree_max(int number) const override { return space.agree_max(number); }
    bool is_stream_ordered() const override { return space.is_stream_ordered(); }
    bool is_capturable() const override { return ashlar::is_capturable(space); }
    void check() const override { check_device_work(space); }
    Space space;
  };

  std::shared_ptr<const Base> held_;
};

}  // namespace ashlar

namespace ashlar::impl {

/// The vectors that operators of any type take: one type for all contiguous ones, one for all multi-vectors.
template <class Scalar, class Space>
struct AnyVectors {
  template <class Entry>
  using One = Kokkos::View<Entry*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  template <class Entry>
  using Many = Kokkos::View<Entry**, Kokkos::LayoutStride, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  /// The same entries, for reading where Entry is const.
  template <class Entry, class View>
  static auto of(const View& view) {
    static_assert(Kokkos::is_view_v<View> && std::is_same_v<typename View::non_const_value_type, Scalar>,
                  "ashlar: vectors of an operator of any type hold its scalar");
    if constexpr (View::rank() == 1) {
      static_assert(vector_view<View>, "ashlar: a vector is contiguous");
      return One<Entry>(view.data(), view.extent(0));
    } else {
      return Many<Entry>(view.data(),
                         Kokkos::LayoutStride(view.extent(0), view.stride(0), view.extent(1), view.stride(1)));
    }
  }
};

}  // namespace ashlar::impl
