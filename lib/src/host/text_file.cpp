#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/host/memory.hpp>
#include <ashlar/host/output_file.hpp>
#include <ashlar/host/replaced_file.hpp>
#include <ashlar/host/text_file.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>

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

namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void refuse_size(const std::string& path, std::size_t size) {
  throw FileError(path, 0, text("too large to read: ", size, " bytes or more"), "its text is held in memory as a whole",
                  "use a machine with more memory");
}

std::unique_ptr<char[]> allocate(const std::string& path, std::size_t size) {
  try {
    return std::unique_ptr<char[]>(new char[size]);
  } catch (const std::bad_alloc&) {
    refuse_size(path, size);
  }
}

}  // namespace

FileText::FileText(const std::string& path, std::size_t max_bytes, const Check& check) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw FileError(path, 0, "cannot be read", "it is a folder", "name a file");
  }
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file) {
    const bool forbidden = errno == EACCES || errno == EPERM;
    throw FileError(path, 0, "cannot be opened", std::generic_category().message(errno),
                    forbidden ? "check the permissions" : "check the name and the folder");
  }
  std::setvbuf(file.get(), nullptr, _IONBF, 0);

  // Pipes and the like tell no size: they are read into a buffer that doubles.
  const auto told = std::filesystem::file_size(path, ignored);
  const bool knows_size = !ignored && std::filesystem::is_regular_file(path, ignored);
  std::size_t capacity = std::min<std::size_t>(knows_size ? told + 1 : beginning_bytes, max_bytes);
  text_ = allocate(path, capacity);
  bool is_checked = !check;
  for (;;) {
    const std::size_t until = is_checked ? capacity : std::min(capacity, beginning_bytes);
    const std::size_t count = std::fread(text_.get() + size_, 1, until - size_, file.get());
    size_ += count;
    if (std::ferror(file.get())) {
      throw FileError(path, 0, text("cannot be read past byte ", size_), std::generic_category().message(errno),
                      "check the disk");
    }
    if (!is_checked && (count == 0 || size_ == until)) {
      check(view());
      is_checked = true;
    }
    if (count == 0 && size_ < capacity) break;
    if (size_ == max_bytes) return;
    if (size_ < capacity) continue;
    const std::size_t larger = std::min(2 * capacity, max_bytes);
    if (larger > host_memory().available) refuse_size(path, larger);
    auto moved = allocate(path, larger);
    std::memcpy(moved.get(), text_.get(), size_);
    text_ = std::move(moved);
    capacity = larger;
  }
  whole_ = true;
}

}  // namespace ashlar
