#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ashlar::io {

/// Values at the points of a mesh, the components of one point one after another.
struct PointField {
  std::string name;
  int components = 1;
  std::span<const double> values;
};

/// Writes a mesh of eight-node hexahedra, with fields at its points, as VTK XML (.vtu) for ParaView, VisIt and meshio.
///
/// The eight points of a cell, in VTK's order: around the bottom face, counter-clockwise seen from the top, then the
/// ones above them: (0,0,0) (1,0,0) (1,1,0) (0,1,0) (0,0,1) (1,0,1) (1,1,1) (0,1,1).
///
/// Shapes   `points` holds x, y, z of each point; `cells` eight point numbers, from 0, of each cell; each field
///          `components` values of each point, under a name of its own.
/// Memory   all on the host. Nothing is copied but the cells' offsets and types, a piece at a time.
/// Format   UnstructuredGrid, version 1.0, UInt64 headers, the byte order of this machine; the data
///          appended as base64, which VTK and meshio read alike (meshio 5.3 fails at raw data under Python 3.14).
/// Throws   ShapeError, StructureError (a cell that names no point), ArgumentError (the name of a field) before the
///          file is touched; FileError when it cannot be written, all of it: the incomplete file is removed.
void write_vtu(const std::string& path, std::span<const double> points, std::span<const std::int64_t> cells,
               const std::vector<PointField>& fields);
void write_vtu(const std::string& path, std::span<const double> points, std::span<const std::int32_t> cells,
               const std::vector<PointField>& fields);

/// Writes the file (.pvtu) that makes one mesh of several, its pieces, which write_vtu() has written, each with the
/// same fields. Points that pieces share are in each of them.
///
/// Shapes   `pieces` are names relative to the folder of `path`; of `fields` the names and components count alone.
/// Throws   ArgumentError (the name of a field) before the file is touched; FileError when it cannot be written, all of
///          it: the incomplete file is removed.
void write_pvtu(const std::string& path, const std::vector<std::string>& pieces, const std::vector<PointField>& fields);

/// Boxes of equal size, side by side: `cells` in x, y and z, each of `spacing`, from the corner `origin` on.
struct RegularGrid {
  std::array<std::int64_t, 3> cells;
  std::array<double, 3> spacing;
  std::array<double, 3> origin = {};

  std::int64_t num_cells() const { return cells[0] * cells[1] * cells[2]; }
};

/// Values in the cells of a grid, those along x first, the components of one cell one after another.
struct CellField {
  std::string name;
  int components = 1;
  std::span<const double> values;
};

/// Writes a regular grid, with fields in its cells, as VTK XML image data (.vti) for ParaView, VisIt and others.
///
/// Shapes   each field has `components` values of each cell, under a name of its own.
/// Memory   all on the host. Nothing is copied.
/// Format   ImageData, version 1.0, UInt64 headers, the byte order of this machine; the data appended as base64, as
///          write_vtu() has them.
/// Throws   ShapeError, ArgumentError (numbers of cells, a spacing, the name of a field) before the file is touched;
///          FileError when it cannot be written, all of it: the incomplete file is removed.
void write_vti(const std::string& path, const RegularGrid& grid, const std::vector<CellField>& fields);

}  // namespace ashlar::io
