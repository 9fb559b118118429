#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/host/text_file.hpp>

#include <ashlar/host/file_text.hpp>
#include <ashlar/host/file_writer.hpp>
#include <ashlar/host/replaced_file.hpp>

namespace ashlar {

void write_text_file(const std::string& path, std::string_view text) {
  FileWriter file(path);
  file.write(text);
  file.close();
}

void replace_text_file(const std::string& path, std::string_view content) {
  replace_file(path, [content](const std::string& whole) { write_text_file(whole, content); });
}

std::string read_text_file(const std::string& path, std::size_t max_bytes) {
  const FileText file(path, max_bytes);
  if (!file.is_whole_file()) {
    throw FileError(path, 0, "too large to read", text("it has ", max_bytes, " bytes or more"),
                    "is it the right file?");
  }
  return std::string(file.view());
}

}  // namespace ashlar
