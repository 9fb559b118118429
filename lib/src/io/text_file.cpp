#include <unistd.h>

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/io/output_file.hpp>
#include <ashlar/io/text_file.hpp>
#include <filesystem>
#include <system_error>

#include "file_text.hpp"
#include "file_writer.hpp"

namespace ashlar::io {

namespace fs = std::filesystem;

void write_text_file(const std::string& path, std::string_view text) {
  FileWriter file(path);
  file.write(text);
  file.close();
}

void replace_text_file(const std::string& path, std::string_view content) {
  require_writable(path);
  std::error_code error;
  const fs::path target = fs::weakly_canonical(path, error);
  const fs::file_status status = fs::status(target, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) return write_text_file(path, content);

  // In the same folder, since a file takes another's name within one file system only.
  const fs::path whole = target.string() + text(".new-", ::getpid());
  try {
    write_text_file(whole.string(), content);
  } catch (const FileError& fault) {
    throw FileError(path, 0, "cannot be written", fault.why(), fault.suggestion());
  }
  if (fs::exists(status)) fs::permissions(whole, status.permissions(), error);
  fs::rename(whole, target, error);
  if (error) {
    const std::string why = error.message();
    fs::remove(whole, error);
    throw FileError(path, 0, "cannot be replaced", why, "name another file");
  }
}

std::string read_text_file(const std::string& path, std::size_t max_bytes) {
  const FileText file(path, max_bytes);
  if (!file.is_whole_file()) {
    throw FileError(path, 0, "too large to read", text("it has ", max_bytes, " bytes or more"),
                    "is it the right file?");
  }
  return std::string(file.view());
}

}  // namespace ashlar::io
