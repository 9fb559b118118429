#include <algorithm>
#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/io/vtu.hpp>
#include <cstddef>

#include <ashlar/host/output_file.hpp>
#include "appended_data.hpp"
#include "base64_block.hpp"
#include "in_quotes.hpp"
#include "vtk_names.hpp"

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

}  // namespace ashlar::io
