#pragma once

#include <ashlar/base/text.hpp>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <ashlar/host/output_file.hpp>
#include "base64_block.hpp"
#include "vtk_names.hpp"

/// What VTK XML files of all kinds are made of: elements that name arrays, and the arrays after them.
namespace ashlar::io {

/// The first two lines, for a data set of this type.
inline std::string vtk_file_begin(const char* type) {
  return text("<?xml version=\"1.0\"?>\n<VTKFile type=\"", type, "\" version=\"1.0\" byte_order=\"",
              std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian",
              "\" header_type=\"UInt64\">\n");
}

inline constexpr const char* appended_data_begin = "<AppendedData encoding=\"base64\">\n_";
inline constexpr const char* appended_data_end = "\n</AppendedData>\n</VTKFile>\n";

/// The places in the appended data of the arrays, in their order.
class AppendedOffsets {
 public:
  std::uint64_t next(std::uint64_t bytes) {
    const std::uint64_t offset = end_;
    end_ += Base64Block::size(bytes);
    return offset;
  }

 private:
  std::uint64_t end_ = 0;
};

inline std::string appended_array(const char* type, const std::string& name, int components, std::uint64_t offset) {
  return text("<DataArray type=\"", type, "\" Name=\"", escaped(name), "\" NumberOfComponents=\"", components,
              "\" format=\"appended\" offset=\"", offset, "\"/>\n");
}

template <class T>
void write_appended(FileWriter& file, std::span<const T> values) {
  Base64Block block(file, values.size_bytes());
  block.write(values.data(), values.size_bytes());
  block.end();
}

}  // namespace ashlar::io
