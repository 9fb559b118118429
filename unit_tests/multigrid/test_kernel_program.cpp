// The barriers between the kernels of a program. (CPUs have one team, and need none of them.)
#include <gmock/gmock.h>

#include <ashlar/multigrid/impl/kernel_program.hpp>  // nothing else shows barriers that are missing
#include <string>
#include <vector>

namespace ashlar::testing {
namespace {

using multigrid::impl::PackedKernel;

/// Of kernels by letter: A for all teams, o for one, Z and z for those that set to zero: Z by all, z by one.
std::vector<int> barriers(const std::string& letters) {
  std::vector<PackedKernel> kernels;
  for (const char letter : letters) {
    PackedKernel kernel{};
    kernel.is_for_one_team = letter == 'o' || letter == 'z' ? 1 : 0;
    kernel.needs_none_before = letter == 'Z' || letter == 'z' ? 1 : 0;
    kernels.push_back(kernel);
  }
  place_barriers(kernels);
  std::vector<int> result;
  for (const PackedKernel& kernel : kernels) result.push_back(kernel.barrier_after_it);
  return result;
}

TEST(KernelProgram, HasBarriersOfAllTeamsWhereKernelsNeedThem) {
  using ::testing::ElementsAre;
  EXPECT_THAT(barriers("AA"), ElementsAre(1, 1));
  EXPECT_THAT(barriers("ooA"), ElementsAre(0, 1, 1)) << "the other teams wait for what that team does";
  EXPECT_THAT(barriers("Aoo"), ElementsAre(1, 0, 0));
}

TEST(KernelProgram, LetsAKernelBeginThatNeedsNothingOfTheOneBefore) {
  using ::testing::ElementsAre;
  EXPECT_THAT(barriers("AZA"), ElementsAre(0, 1, 1));
  EXPECT_THAT(barriers("Azo"), ElementsAre(0, 1, 0)) << "what all have done before is needed after";
  EXPECT_THAT(barriers("oZA"), ElementsAre(0, 1, 1));
  EXPECT_THAT(barriers("ooZA"), ElementsAre(0, 1, 1, 1)) << "it may need something of the first";
  EXPECT_THAT(barriers("AZZA"), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(barriers("AZ"), ElementsAre(0, 1)) << "all end together";
}

}  // namespace
}  // namespace ashlar::testing
