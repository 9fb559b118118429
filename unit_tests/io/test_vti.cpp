#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/base/error.hpp>
#include <ashlar/io/vtk.hpp>
#include <bit>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "file_size_limit.hpp"
#include "support/message.hpp"
#include "support/temporary_folder.hpp"
#include "vtk_arrays.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

/// 3 x 2 x 1 cells.
struct Vti : ::testing::Test {
  TemporaryFolder folder;
  const std::string path = folder / "grid.vti";
  const io::RegularGrid grid{{3, 2, 1}, {1. / 3, 0.5, 1e-7}, {-1, 0, 2.5}};
  const std::vector<double> u = {0.1, -2, 1e300, 1. / 3, -0.0, 5}, flow = std::vector<double>(18, 1.5);
};

TEST_F(Vti, HoldsTheGridAndTheFields) {
  io::write_vti(path, grid, {{"u", 1, u}, {"flow <m>", 3, flow}});
  const std::string file = content_of(path);
  EXPECT_EQ(file.rfind("<?xml version=\"1.0\"?>\n<VTKFile ", 0), 0u);
  const std::string root = file.substr(22, file.find('>', 22) - 22);
  EXPECT_EQ(attribute(root, "type"), "ImageData");
  EXPECT_EQ(attribute(root, "header_type"), "UInt64");
  EXPECT_EQ(attribute(root, "byte_order"), std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian");
  EXPECT_THAT(file, HasSubstr("<ImageData WholeExtent=\"0 3 0 2 0 1\" Origin=\"-1 0 2.5\" "
                              "Spacing=\"0.3333333333333333 0.5 1e-07\">\n<Piece Extent=\"0 3 0 2 0 1\">\n<CellData>"));
  EXPECT_EQ(array<double>(file, "u", "Float64", 1), u);
  EXPECT_EQ(array<double>(file, "flow &lt;m&gt;", "Float64", 3), flow);
}

TEST_F(Vti, RefusesWhatDoesNotFit) {
  const auto refused = [&](const io::RegularGrid& of, const std::vector<io::CellField>& fields) {
    return [this, of, fields] { io::write_vti(path, of, fields); };
  };
  EXPECT_THAT(message_of<ShapeError>(refused(grid, {{"u", 1, flow}})), HasSubstr("'u' of 1 components has 18 values"));
  EXPECT_THAT(message_of<ShapeError>(refused(grid, {{"u", 0, {}}})), HasSubstr("0 components"));
  EXPECT_THAT(message_of<ArgumentError>(refused(grid, {{"", 1, u}})), HasSubstr("write_vti: a field named ''"));
  EXPECT_THAT(message_of<ArgumentError>(refused(grid, {{"u", 1, u}, {"u", 1, u}})), HasSubstr("two fields named 'u'"));
  EXPECT_THAT(message_of<ArgumentError>(refused({{3, 0, 1}, {1, 1, 1}}, {})), HasSubstr("direction 1 0 cells"));
  EXPECT_THAT(message_of<ArgumentError>(refused({{3, 1, 1}, {1, 1, -1}}, {})), HasSubstr("direction 2 1 cells of -1"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(message_of<ArgumentError>(refused({{3, 1, 1}, {nan, 1, 1}}, {})), HasSubstr("direction 0"));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(Vti, IsWholeOrNotThere) {
  const FileSizeLimit limit(100);
  EXPECT_THAT(message_of<FileError>([&] { io::write_vti(path, grid, {{"u", 1, u}}); }), HasSubstr("cannot be written"));
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace ashlar::testing
