#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/host/memory.hpp>
#include <ashlar/host/output_file.hpp>
#include <ashlar/host/replaced_file.hpp>
#include <ashlar/host/text_file.hpp>
#include <cstring>
#include <new>

#include "text_source.hpp"

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
  TextSource source(path);
  // Pipes and the like tell no size, compressed files perhaps too small a one: the buffer doubles if it is full.
  const std::uint64_t told = text_size(path);
  const bool knows_size = told > 0 && (!source.is_compressed() || told < host_memory().available);
  std::size_t capacity = std::min<std::size_t>(knows_size ? told + 1 : beginning_bytes, max_bytes);
  text_ = allocate(path, capacity);
  bool is_checked = !check;
  for (;;) {
    const std::size_t until = is_checked ? capacity : std::min(capacity, beginning_bytes);
    const std::size_t count = source.read(text_.get() + size_, until - size_);
    size_ += count;
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
