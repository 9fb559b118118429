#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/host/memory.hpp>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

namespace {

/// Whether the system notes for the memory at `address` that large pages are wanted ("hg" in its flags); empty where it
/// notes nothing.
std::string flags_of(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  std::string line, flags;
  bool is_in = false;
  while (std::getline(maps, line)) {
    unsigned long long begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx ", &begin, &end) == 2) {
      const auto at = reinterpret_cast<std::uintptr_t>(address);
      is_in = begin <= at && at < end;
    } else if (is_in && line.rfind("VmFlags:", 0) == 0) {
      return line.substr(8) + " ";
    }
  }
  return "";
}

TEST(HugePages, AreAskedForWhereTheArrayIsLarge) {
  std::ifstream enabled("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string has;
  if (!std::getline(enabled, has)) GTEST_SKIP() << "the system has none";
  const Kokkos::View<double*, Kokkos::HostSpace> view(Kokkos::view_alloc(Kokkos::WithoutInitializing, "view"), 4 << 20);
  if (flags_of(view.data() + view.extent(0) / 2).empty()) GTEST_SKIP() << "the system does not say";
  ashlar::ask_for_huge_pages(view);
  EXPECT_NE(flags_of(view.data() + view.extent(0) / 2).find(" hg "), std::string::npos);
  Kokkos::deep_copy(view, 1.5);
  EXPECT_EQ(view(view.extent(0) - 1), 1.5);
}

TEST(HugePages, OfNothingAndOfOddPlacesAreNoError) {
  ashlar::ask_for_huge_pages(nullptr, std::size_t(1) << 30);
  ashlar::ask_for_huge_pages(Kokkos::View<int*, Kokkos::HostSpace>());
  const Kokkos::View<char*, Kokkos::HostSpace> view("view", (std::size_t(5) << 20) + 77);
  ashlar::ask_for_huge_pages(view.data() + 13, view.extent(0) - 13);
  EXPECT_EQ(view(view.extent(0) - 1), 0);
}

}  // namespace
