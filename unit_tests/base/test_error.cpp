#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <string>

namespace {

using namespace ashlar;

TEST(Error, MessageIsProblemWhySuggestion) {
  const ShapeError error("x has 3 entries", "the matrix has 4 columns", "pass 4");
  EXPECT_STREQ(error.what(), "x has 3 entries (the matrix has 4 columns); pass 4");
  EXPECT_EQ(error.problem(), "x has 3 entries");
  EXPECT_EQ(error.why(), "the matrix has 4 columns");
  EXPECT_EQ(error.suggestion(), "pass 4");
}

template <class E>
class EveryError : public ::testing::Test {};
using Errors =
    ::testing::Types<ShapeError, StructureError, NumericalError, MissingDiagonalError, IndefiniteError, ArgumentError>;
TYPED_TEST_SUITE(EveryError, Errors);

TYPED_TEST(EveryError, IsCaughtAsErrorAndAsRuntimeError) {
  const auto fail = [] { throw TypeParam("a", "b", "c"); };
  EXPECT_THROW(fail(), TypeParam);
  EXPECT_THROW(fail(), Error);
  EXPECT_THROW(fail(), std::runtime_error);
}

TEST(Error, BlockSizeErrorCarriesTheBlockSize) {
  const BlockSizeError error(7, "block size 7", "it does not divide 10", "take 5");
  EXPECT_EQ(error.block_size(), 7);
  EXPECT_STREQ(error.what(), "block size 7 (it does not divide 10); take 5");
}

TEST(Error, MemoryErrorCarriesBytesBeyond32Bits) {
  const MemoryError error(std::uint64_t(5) << 32, 17, "too large", "why", "what to do");
  EXPECT_EQ(error.needed(), std::uint64_t(5) << 32);
  EXPECT_EQ(error.available(), 17u);
}

TEST(Error, FileErrorPutsFileAndLineFirst) {
  const FileError error("a.mtx", 12, "'x' is no number", "a value is expected", "mend the line");
  EXPECT_STREQ(error.what(), "a.mtx:12: 'x' is no number (a value is expected); mend the line");
  EXPECT_EQ(error.file(), "a.mtx");
  EXPECT_EQ(error.line(), 12);
}

TEST(Error, FileErrorWithoutALineNamesNone) {
  const FileError error("a.mtx", 0, "cannot be opened", "no such file", "check the name");
  EXPECT_STREQ(error.what(), "a.mtx: cannot be opened (no such file); check the name");
}

TEST(Text, WritesItsArgumentsOneAfterAnother) {
  EXPECT_EQ(text("row ", 3, " of ", std::int64_t(5000000000), ": ", 0.5), "row 3 of 5000000000: 0.5");
}

}  // namespace
