// What perf_spmv does with products of other libraries that fail: names them, leaves them out, and goes on.
#include <gmock/gmock.h>

#include <spmv/measure.hpp>
#include <stdexcept>
#include <string>

namespace ashlar::perf {
namespace {

nlohmann::json row(const std::string& library, const std::string& kernel) {
  return {{"case", "a case"}, {"library", library}, {"kernel", kernel},
          {"block_size", 3},  {"type", "double"},   {"mode", "no_transpose"}};
}

struct Measurements : ::testing::Test {
  const Exec exec;
  nlohmann::json results = nlohmann::json::array();
  Measurement measurement{exec, 100, 1, results};

  /// A product that fails from so many calls on.
  void add(const std::string& library, const std::string& kernel, int fails_from) {
    measurement.add(
        row(library, kernel), 1e6,
        [calls = 0, fails_from]() mutable {
          if (++calls >= fails_from) throw std::runtime_error("internal error");
        },
        [] { return 0.0; });
  }
};

constexpr int never = 1 << 30;

TEST_F(Measurements, LeaveOutWhatFailsOfOtherLibraries) {
  add("ashlar", "auto", never);
  add("Theirs", "at once", 1);
  add("Theirs", "when it is timed", 4);
  add("Theirs", "good", never);
  measurement.leave_out(
      {{"case", "a case"}, {"library", "Other"}, {"block_size", 3}, {"type", "double"}, {"mode", "no_transpose"}},
      "could not be made ready");
  measurement.time_all();
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0]["kernel"], "auto");
  EXPECT_EQ(results[1]["kernel"], "good");
  for (const auto& each : results) EXPECT_GE(each["seconds"].get<double>(), 0);
  ASSERT_EQ(measurement.left_out().size(), 3u);
  EXPECT_EQ(measurement.left_out()[0]["kernel"], "at once");
  EXPECT_EQ(measurement.left_out()[1]["library"], "Other");
  EXPECT_EQ(measurement.left_out()[2]["kernel"], "when it is timed");
  EXPECT_EQ(measurement.left_out()[2]["failure"], "internal error");
  EXPECT_TRUE(measurement.all_right()) << "a peer that fails is no fault of ours";
}

TEST_F(Measurements, EndWhereOursFails) {
  EXPECT_THROW(add("ashlar", "auto", 1), std::runtime_error);
  add("ashlar", "auto", 3);
  EXPECT_THROW(measurement.time_all(), std::runtime_error);
}

TEST_F(Measurements, CallAWrongResultWrongWhoeverMakesIt) {
  measurement.add(
      row("Theirs", "wrong"), 1e6, [] {}, [] { return 7.0; });
  EXPECT_FALSE(measurement.all_right());
  EXPECT_EQ(results[0]["verified"], false);
}

}  // namespace
}  // namespace ashlar::perf
