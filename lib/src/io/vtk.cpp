#include <algorithm>
#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/host/output_file.hpp>
#include <ashlar/io/vtk.hpp>
#include <bit>
#include <charconv>
#include <cstddef>

#include "in_quotes.hpp"
#include "vtk_data.hpp"

namespace ashlar::io {

namespace {

constexpr std::int64_t points_per_cell = 8;
constexpr std::uint8_t vtk_hexahedron = 12;

template <class Index>
struct Mesh {
  std::span<const double> points;
  std::span<const Index> cells;
  std::int64_t num_points() const { return static_cast<std::int64_t>(points.size() / 3); }
  std::int64_t num_cells() const { return static_cast<std::int64_t>(cells.size()) / points_per_cell; }
};

template <class Index>
void require_good_mesh(const Mesh<Index>& mesh) {
  if (mesh.points.size() % 3 != 0) {
    throw ShapeError(text("write_vtu: ", mesh.points.size(), " coordinates"), "a point has three: x, y, z",
                     "pass 3 coordinates a point");
  }
  if (mesh.cells.size() % points_per_cell != 0) {
    throw ShapeError(text("write_vtu: ", mesh.cells.size(), " point numbers in the cells"), "a hexahedron has eight",
                     "pass 8 point numbers a cell");
  }
  for (std::size_t k = 0; k < mesh.cells.size(); ++k) {
    if (mesh.cells[k] >= 0 && mesh.cells[k] < mesh.num_points()) continue;
    throw StructureError(text("write_vtu: cell ", k / points_per_cell, " names point ", mesh.cells[k]),
                         text("there are ", mesh.num_points(), " points, counted from 0"), "correct the cell");
  }
}

void require_good_fields(const std::vector<PointField>& fields, std::int64_t num_points) {
  require_good_names("write_vtu", fields);
  for (const PointField& field : fields) {
    if (field.components < 1 || static_cast<std::int64_t>(field.values.size()) != num_points * field.components) {
      throw ShapeError(text("write_vtu: field ", in_quotes(field.name), " of ", field.components, " components has ",
                            field.values.size(), " values"),
                       text("there are ", num_points, " points"), "pass points * components values");
    }
  }
}

/// An array whose entry i is value(i), without an array in memory.
template <class T, class Value>
void write_computed(FileWriter& file, std::int64_t count, const Value& value) {
  Base64Block block(file, count * sizeof(T));
  for (std::int64_t i = 0; i < count; ++i) {
    const T entry = value(i);
    block.write(&entry, sizeof entry);
  }
  block.end();
}

template <class Index>
void write(const std::string& path, const Mesh<Index>& mesh, const std::vector<PointField>& fields) {
  require_good_mesh(mesh);
  require_good_fields(fields, mesh.num_points());
  const std::int64_t num_cells = mesh.num_cells();

  AppendedOffsets offsets;

  FileWriter file(path);
  file.write(text(vtk_file_begin("UnstructuredGrid"), "<UnstructuredGrid>\n<Piece NumberOfPoints=\"", mesh.num_points(),
                  "\" NumberOfCells=\"", num_cells, "\">\n<PointData>\n"));
  for (const PointField& field : fields) {
    file.write(appended_array("Float64", field.name, field.components, offsets.next(field.values.size_bytes())));
  }
  file.write("</PointData>\n<Points>\n");
  file.write(appended_array("Float64", "Points", 3, offsets.next(mesh.points.size_bytes())));
  file.write("</Points>\n<Cells>\n");
  file.write(
      appended_array(sizeof(Index) == 4 ? "Int32" : "Int64", "connectivity", 1, offsets.next(mesh.cells.size_bytes())));
  file.write(appended_array("Int64", "offsets", 1, offsets.next(num_cells * sizeof(std::int64_t))));
  file.write(appended_array("UInt8", "types", 1, offsets.next(num_cells * sizeof(std::uint8_t))));
  file.write(text("</Cells>\n</Piece>\n</UnstructuredGrid>\n", appended_data_begin));

  for (const PointField& field : fields) write_appended(file, field.values);
  write_appended(file, mesh.points);
  write_appended(file, mesh.cells);
  write_computed<std::int64_t>(file, num_cells, [](std::int64_t i) { return points_per_cell * (i + 1); });
  write_computed<std::uint8_t>(file, num_cells, [](std::int64_t) { return vtk_hexahedron; });
  file.write(appended_data_end);
  file.close();
}

}  // namespace

void write_vtu(const std::string& path, std::span<const double> points, std::span<const std::int64_t> cells,
               const std::vector<PointField>& fields) {
  write(path, Mesh<std::int64_t>{points, cells}, fields);
}

void write_vtu(const std::string& path, std::span<const double> points, std::span<const std::int32_t> cells,
               const std::vector<PointField>& fields) {
  write(path, Mesh<std::int32_t>{points, cells}, fields);
}

namespace {

std::string data_array(const std::string& name, int components) {
  return text("<PDataArray type=\"Float64\" Name=\"", escaped(name), "\" NumberOfComponents=\"", components, "\"/>\n");
}

}  // namespace

void write_pvtu(const std::string& path, const std::vector<std::string>& pieces,
                const std::vector<PointField>& fields) {
  require_good_names("write_pvtu", fields);
  FileWriter file(path);
  file.write(text("<?xml version=\"1.0\"?>\n<VTKFile type=\"PUnstructuredGrid\" version=\"1.0\" byte_order=\"",
                  std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian",
                  "\" header_type=\"UInt64\">\n<PUnstructuredGrid GhostLevel=\"0\">\n<PPointData>\n"));
  for (const PointField& field : fields) file.write(data_array(field.name, field.components));
  file.write("</PPointData>\n<PPoints>\n");
  file.write(data_array("Points", 3));
  file.write("</PPoints>\n");
  for (const std::string& piece : pieces) file.write(text("<Piece Source=\"", escaped(piece), "\"/>\n"));
  file.write("</PUnstructuredGrid>\n</VTKFile>\n");
  file.close();
}

namespace {

/// As few digits as name the number.
std::string exact(double number) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr};
}

std::string exact(const std::array<double, 3>& numbers) {
  return exact(numbers[0]) + " " + exact(numbers[1]) + " " + exact(numbers[2]);
}

void require_good_grid(const RegularGrid& grid) {
  for (std::size_t d = 0; d < 3; ++d) {
    if (grid.cells[d] >= 1 && grid.cells[d] <= (std::int64_t(1) << 20) && grid.spacing[d] > 0 &&
        is_finite(grid.spacing[d]) && is_finite(grid.origin[d])) {
      continue;
    }
    throw ArgumentError(text("write_vti: in direction ", d, " ", grid.cells[d], " cells of ", grid.spacing[d]),
                        "there are 1 to 2^20 cells, of a width that is positive and finite", "choose others");
  }
}

void require_good_fields(const RegularGrid& grid, const std::vector<CellField>& fields) {
  std::vector<PointField> names;
  for (const CellField& field : fields) names.push_back({field.name, field.components, field.values});
  require_good_names("write_vti", names);
  for (const CellField& field : fields) {
    if (field.components < 1 || static_cast<std::int64_t>(field.values.size()) != grid.num_cells() * field.components) {
      throw ShapeError(text("write_vti: field ", in_quotes(field.name), " of ", field.components, " components has ",
                            field.values.size(), " values"),
                       text("there are ", grid.num_cells(), " cells"), "pass cells * components values");
    }
  }
}

}  // namespace

void write_vti(const std::string& path, const RegularGrid& grid, const std::vector<CellField>& fields) {
  require_good_grid(grid);
  require_good_fields(grid, fields);
  const std::string extent = text("0 ", grid.cells[0], " 0 ", grid.cells[1], " 0 ", grid.cells[2]);
  AppendedOffsets offsets;
  FileWriter file(path);
  file.write(text(vtk_file_begin("ImageData"), "<ImageData WholeExtent=\"", extent, "\" Origin=\"", exact(grid.origin),
                  "\" Spacing=\"", exact(grid.spacing), "\">\n<Piece Extent=\"", extent, "\">\n<CellData>\n"));
  for (const CellField& field : fields) {
    file.write(appended_array("Float64", field.name, field.components, offsets.next(field.values.size_bytes())));
  }
  file.write(text("</CellData>\n</Piece>\n</ImageData>\n", appended_data_begin));
  for (const CellField& field : fields) write_appended(file, field.values);
  file.write(appended_data_end);
  file.close();
}

}  // namespace ashlar::io
