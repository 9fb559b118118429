#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/io/vtk.hpp>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <regex>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"
#include "vtk_arrays.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

/// Two cubes side by side along x.
struct Vtu : ::testing::Test {
  TemporaryFolder folder;
  const std::string path = folder / "mesh.vtu";
  std::vector<double> points;
  std::vector<std::int64_t> cells = {0, 1, 4, 3, 6, 7, 10, 9, 1, 2, 5, 4, 7, 8, 11, 10};
  std::vector<double> temperature, displacement;

  Vtu() {
    for (int k = 0; k < 12; ++k) {
      points.insert(points.end(), {k % 3 + 0.1, k / 3 % 2 + 1.0 / 3, k / 6 - 7e-5});
      temperature.push_back(std::sqrt(k) - 1e9);
      displacement.insert(displacement.end(), {1.0 / (k + 1), -0.0, 1e-300 * k});
    }
  }
  std::vector<io::PointField> fields() const {
    return {{"temperature", 1, temperature}, {"displacement <mm> & \"x\"", 3, displacement}};
  }
};

TEST_F(Vtu, HoldsTheMeshAndTheFields) {
  io::write_vtu(path, points, cells, fields());
  const std::string file = content_of(path);
  EXPECT_EQ(file.rfind("<?xml version=\"1.0\"?>\n<VTKFile ", 0), 0u);
  const std::string root = file.substr(22, file.find('>', 22) - 22);
  EXPECT_EQ(attribute(root, "type"), "UnstructuredGrid");
  EXPECT_EQ(attribute(root, "header_type"), "UInt64");
  EXPECT_EQ(attribute(root, "byte_order"), std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian");
  EXPECT_THAT(file, HasSubstr("<Piece NumberOfPoints=\"12\" NumberOfCells=\"2\">"));

  EXPECT_EQ(array<double>(file, "Points", "Float64", 3), points);
  EXPECT_EQ(array<std::int64_t>(file, "connectivity", "Int64", 1), cells);
  EXPECT_EQ(array<std::int64_t>(file, "offsets", "Int64", 1), (std::vector<std::int64_t>{8, 16}));
  EXPECT_EQ(array<std::uint8_t>(file, "types", "UInt8", 1), (std::vector<std::uint8_t>{12, 12}));
  EXPECT_EQ(array<double>(file, "temperature", "Float64", 1), temperature);
  EXPECT_EQ(array<double>(file, "displacement &lt;mm&gt; &amp; &quot;x&quot;", "Float64", 3), displacement);
}

TEST_F(Vtu, CellsOf32Bits) {
  const std::vector<std::int32_t> short_cells(cells.begin(), cells.end());
  io::write_vtu(path, points, short_cells, {});
  const std::string file = content_of(path);
  EXPECT_EQ(array<std::int32_t>(file, "connectivity", "Int32", 1), short_cells);
  EXPECT_EQ(array<double>(file, "Points", "Float64", 3), points);
}

TEST_F(Vtu, NoCellsNoPoints) {
  io::write_vtu(path, {}, std::vector<std::int64_t>(), {{"u", 3, {}}});
  const std::string file = content_of(path);
  EXPECT_TRUE(array<double>(file, "Points", "Float64", 3).empty());
  EXPECT_TRUE(array<double>(file, "u", "Float64", 3).empty());
}

template <class Error, class Write>
void expect_error(const std::string& text, const Write& write) {
  try {
    write();
    ADD_FAILURE() << "no error that says " << text;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(text));
  }
}

TEST_F(Vtu, ExtentsThatDoNotFit) {
  const auto write = [&](const std::vector<io::PointField>& these) {
    return [&, these] { io::write_vtu(path, points, cells, these); };
  };
  expect_error<ShapeError>("'u' of 3 components has 12 values", write({{"u", 3, temperature}}));
  expect_error<ShapeError>("'u' of 1 components has 36 values", write({{"u", 1, displacement}}));
  expect_error<ShapeError>("0 components", write({{"u", 0, {}}}));
  expect_error<ArgumentError>("''", write({{"", 1, temperature}}));
  expect_error<ArgumentError>("'a?b'", write({{"a\nb", 1, temperature}}));
  expect_error<ArgumentError>("two fields named 'u'", write({{"u", 1, temperature}, {"u", 1, temperature}}));

  cells.pop_back();
  expect_error<ShapeError>("15 point numbers", write({}));
  cells.push_back(12);
  expect_error<StructureError>("cell 1 names point 12", write({}));
  cells.back() = -1;
  expect_error<StructureError>("cell 1 names point -1", write({}));
  cells.back() = 0;
  points.pop_back();
  expect_error<ShapeError>("35 coordinates", write({}));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(Vtu, MeshioReadsTheSame) {
  if (std::system("python3 -c 'import meshio' >/dev/null 2>&1") != 0) GTEST_SKIP() << "python3 has no meshio";
  const std::string script = folder.write("compare.py", R"(
import sys
import meshio, numpy
for length in map(int, sys.argv[2:]):
    prefix = "%s/%d." % (sys.argv[1], length)
    mesh = meshio.read(prefix + "vtu")
    def same(name, found):
        expected = numpy.fromfile(prefix + name, found.dtype).reshape(found.shape)
        assert expected.tobytes() == found.tobytes(), (length, name, expected, found)
    assert mesh.points.shape == (4 * (length + 1), 3)
    same("points", mesh.points)
    assert [block.type for block in mesh.cells] == ["hexahedron"], mesh.cells
    assert mesh.cells[0].data.shape == (length, 8)
    same("cells", mesh.cells[0].data)
    assert list(mesh.point_data) == ["temperature", "displacement"], mesh.point_data
    same("temperature", mesh.point_data["temperature"])
    assert mesh.point_data["displacement"].shape == (4 * (length + 1), 3)
    same("displacement", mesh.point_data["displacement"])
print("the same")
)");
  const auto dump = [&](const std::string& name, const auto& values) {
    folder.write(name, std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0])));
  };
  // Bars of several lengths: the offsets in the file, and with them what a reader may mix up, differ from one to the
  // next.
  std::string command = "python3 '" + script + "' '" + folder.path() + "'";
  for (int length = 1; length < 20; ++length) {
    const std::string prefix = std::to_string(length) + ".";
    points.clear();
    cells.clear();
    temperature.clear();
    displacement.clear();
    for (int i = 0; i <= length; ++i) {
      for (int corner = 0; corner < 4; ++corner) {
        points.insert(points.end(), {i / 7.0, double(corner == 1 || corner == 2), double(corner >= 2)});
        temperature.push_back(10.0 * i + corner);
        displacement.insert(displacement.end(), {1.0 / (i + 1), -corner / 3.0, 1e-300 * i});
      }
      if (i == length) continue;
      for (int corner = 0; corner < 8; ++corner) cells.push_back(4 * i + corner);
    }
    io::write_vtu(folder / (prefix + "vtu"), points, cells,
                  {{"temperature", 1, temperature}, {"displacement", 3, displacement}});
    dump(prefix + "points", points);
    dump(prefix + "cells", cells);
    dump(prefix + "temperature", temperature);
    dump(prefix + "displacement", displacement);
    command += " " + std::to_string(length);
  }
  command += " > '" + (folder / "log") + "' 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0) << content_of(folder / "log");
  EXPECT_THAT(content_of(folder / "log"), HasSubstr("the same"));
}

}  // namespace
}  // namespace ashlar::testing
