#pragma once

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

}  // namespace ashlar::io
