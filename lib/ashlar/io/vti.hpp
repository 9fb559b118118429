#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ashlar::io {

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
