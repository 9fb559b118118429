#include <ashlar/io/text_file.hpp>

#include "file_writer.hpp"

namespace ashlar::io {

void write_text_file(const std::string& path, std::string_view text) {
  FileWriter file(path);
  file.write(text);
  file.close();
}

}  // namespace ashlar::io
