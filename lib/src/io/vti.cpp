#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/io/vti.hpp>
#include <ashlar/io/vtu.hpp>
#include <charconv>

#include <ashlar/host/output_file.hpp>
#include "appended_data.hpp"
#include "in_quotes.hpp"
#include "vtk_names.hpp"

namespace ashlar::io {

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
