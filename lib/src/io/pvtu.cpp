#include <ashlar/base/text.hpp>
#include <ashlar/host/output_file.hpp>
#include <ashlar/io/pvtu.hpp>
#include <bit>

#include "vtk_names.hpp"

namespace ashlar::io {

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

}  // namespace ashlar::io
