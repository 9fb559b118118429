// The ring of buffers, with copies and products that are late on purpose: none of them is made before somebody waits
// for it. Who does not wait reads what is not there yet, or overwrites what is still to be read.
#include <gmock/gmock.h>

#include <algorithm>
#include <ashlar/streaming/streamed_matrix.hpp>
#include <functional>
#include <memory>
#include <string_view>
#include <support/instances.hpp>
#include <vector>

namespace ashlar::testing {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = BcsrMatrix<double>;
using Source = impl::BlockSource<Matrix, Exec>;

/// What is enqueued on an instance, and made when that is waited for.
using Late = std::vector<std::function<void()>>;

void make_all(Late& late) {
  Late made;
  made.swap(late);
  for (const auto& each : made) each();
}

/// Makes what is late where events wait, as if the instance that recorded them had come so far by then.
class Waiting {
 public:
  Waiting() : before_(Kokkos::Tools::Experimental::get_callbacks()) {
    active_ = this;
    Kokkos::Tools::Experimental::set_begin_fence_callback([](const char* label, std::uint32_t, std::uint64_t*) {
      if (active_->awaited != nullptr && std::string_view(label) == "ashlar::Event: wait") make_all(*active_->awaited);
    });
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() {
    Kokkos::Tools::Experimental::set_callbacks(before_);
    active_ = nullptr;
  }

  Late* awaited = nullptr;  ///< what an event that waits now waits for

 private:
  inline static Waiting* active_ = nullptr;
  Kokkos::Tools::Experimental::EventSet before_;
};

/// Blocks of subdivision k are all k.
class LateSource : public Source {
 public:
  explicit LateSource(Late& late) : late_(late) {}

  void send(const Exec&, int k, const Buffer& to, StreamTimeline<Exec>*) override {
    late_.push_back([=] { to.values(0) = k; });
  }
  void bring_columns(const Exec&, const Buffer::Columns&) override {}

 private:
  Late& late_;
};

TEST(SubdivisionRing, KeepsLateCopiesAndLateProductsApart) {
  if (is_gpu_v<Exec>) GTEST_SKIP() << "events of a device wait there: StreamedMatrix is tested with kernels that spin";
  const auto [exec, copy_exec] = two_instances();
  constexpr int count = 7;
  std::vector<Subdivision> parts;
  for (int k = 0; k < count; ++k) parts.push_back({k, 1, 16 * k, 1});
  for (const int num_resident : {0, 1}) {
    for (const int num_buffers : {1, 2, 3}) {
      Late copies, products;
      std::vector<double> read;
      impl::SubdivisionRing<Matrix, Exec> ring(copy_exec, parts, num_resident, num_buffers, true, 1,
                                               std::make_unique<LateSource>(copies));
      Waiting waiting;
      const auto send = [&](int k) {
        waiting.awaited = &products;  // a copy waits for products alone
        ring.send(k);
        waiting.awaited = nullptr;
      };
      const auto multiply = [&](int k) {
        waiting.awaited = &copies;  // and a product for copies
        ring.wait_for_copy(k, exec);
        waiting.awaited = nullptr;
        const auto values = ring.values(k);
        products.push_back([=, &read] { read.push_back(values(0)); });
        ring.release(k, exec);
      };
      std::vector<double> expected;
      for (int pass = 0; pass < 3; ++pass) {
        for (int k = 0; k < num_resident; ++k) send(k);
        for (int k = num_resident; k < std::min(num_resident + num_buffers, count); ++k) send(k);
        for (int k = 0; k < count; ++k) {
          if (k >= num_resident) send(std::min(k + num_buffers - 1, count - 1));
          multiply(k);
          expected.push_back(k);
        }
      }
      make_all(products);
      EXPECT_EQ(read, expected) << num_buffers << " buffers, " << num_resident << " stay";
    }
  }
}

/// Work that changes values is waited for, too.
TEST(SubdivisionRing, SendsAgainAfterWhatChangesValues) {
  if (is_gpu_v<Exec>) GTEST_SKIP() << "events of a device wait there";
  const auto [exec, copy_exec] = two_instances();
  Late copies, changes;
  impl::SubdivisionRing<Matrix, Exec> ring(copy_exec, {{0, 1, 0, 1}}, 0, 1, true, 1,
                                           std::make_unique<LateSource>(copies));
  Waiting waiting;
  ring.send(0);
  make_all(copies);
  bool has_changed = false;
  changes.push_back([&] { has_changed = true; });
  waiting.awaited = &changes;
  ring.clear(exec);
  EXPECT_TRUE(has_changed);
  ring.send(0);
  EXPECT_EQ(copies.size(), 1u) << "what the buffer held is forgotten";
}

}  // namespace
}  // namespace ashlar::testing
