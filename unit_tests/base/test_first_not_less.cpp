#include <gtest/gtest.h>

#include <algorithm>
#include <ashlar/base/algorithms.hpp>
#include <vector>

namespace ashlar::testing {
namespace {

TEST(FirstNotLess, IsThePlaceThatTheStandardLibraryFinds) {
  for (const std::vector<int>& numbers :
       {std::vector<int>{}, {4}, {4, 4}, {-3, 0, 0, 0, 2, 9}, {0, 1, 2, 3, 5, 5, 8}, {1, 1, 1, 1, 7}}) {
    const auto list = [&](std::int64_t k) { return numbers[std::size_t(k)]; };
    const auto size = std::int64_t(numbers.size());
    for (std::int64_t begin = 0; begin <= size; ++begin) {
      for (std::int64_t end = begin; end <= size; ++end) {
        for (int wanted = -4; wanted <= 10; ++wanted) {
          const auto expected =
              std::lower_bound(numbers.begin() + begin, numbers.begin() + end, wanted) - numbers.begin();
          EXPECT_EQ(first_not_less(list, begin, end, wanted), expected) << wanted;
        }
      }
    }
  }
}

TEST(FirstNotLess, OfNoPlacesIsTheBegin) {
  const auto none = [](std::int64_t) { return 0; };
  EXPECT_EQ(first_not_less(none, 1, 0, 5), 1);
}

}  // namespace
}  // namespace ashlar::testing
