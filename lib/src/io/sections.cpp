#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/io/block_file.hpp>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "sections.hpp"

namespace ashlar::io {

namespace {

[[noreturn]] void fail_to_open(const std::string& path, int error_number) {
  const bool forbidden = error_number == EACCES || error_number == EPERM;
  throw FileError(path, 0, "cannot be opened", std::generic_category().message(error_number),
                  forbidden ? "check the permissions" : "check the name and the folder");
}

}  // namespace

RandomAccessFile::RandomAccessFile(std::string path) : path_(std::move(path)) {
  struct stat status = {};
  // Looked at before it is opened: opening a pipe would wait for its other end.
  if (::stat(path_.c_str(), &status) != 0) fail_to_open(path_, errno);
  if (S_ISDIR(status.st_mode)) throw FileError(path_, 0, "cannot be read", "it is a folder", "name a file");
  if (!S_ISREG(status.st_mode)) {
    throw FileError(path_, 0, "cannot be read", "it is no regular file, and is read at places in any order",
                    "copy it to a disk");
  }
  file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) fail_to_open(path_, errno);
  size_ = static_cast<std::uint64_t>(status.st_size);
}

RandomAccessFile::~RandomAccessFile() {
  if (file_ >= 0) ::close(file_);
}

void RandomAccessFile::read(std::uint64_t offset, std::size_t bytes, void* to) const {
  // The system reads no more than 2 GiB in one call.
  constexpr std::size_t at_once = std::size_t(1) << 30;
  char* next = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t count = ::pread(file_, next, std::min(bytes, at_once), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      throw FileError(path_, 0, text("cannot be read at byte ", offset), std::generic_category().message(errno),
                      "check the disk");
    }
    if (count == 0) {
      throw FileError(path_, 0, text("ends at byte ", offset), text("it had ", size_, " bytes when it was opened"),
                      "leave the file as it is while it is read");
    }
    next += count;
    offset += static_cast<std::uint64_t>(count);
    bytes -= static_cast<std::size_t>(count);
  }
}

std::uint64_t SectionReader::piece_bytes() const {
  constexpr std::uint64_t usual = std::uint64_t(1) << 20;
  return std::max(chunk_bytes_, usual / chunk_bytes_ * chunk_bytes_);
}

void SectionReader::read(std::uint64_t begin, std::uint64_t end, std::byte* to) const {
  std::vector<std::byte> chunk;
  const std::uint64_t whole_end = end == place_.bytes ? end : end / chunk_bytes_ * chunk_bytes_;
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t chunk_begin = at / chunk_bytes_ * chunk_bytes_;
    std::byte* const target = to + (at - begin);
    if (at == chunk_begin && at < whole_end) {
      const std::uint64_t piece_end = std::min(at + piece_bytes(), whole_end);
      file_.read(place_.offset + at, piece_end - at, target);
      verify(at, piece_end, target);
      at = piece_end;
    } else {
      const std::uint64_t chunk_end = std::min(chunk_begin + chunk_bytes_, place_.bytes);
      chunk.resize(chunk_end - chunk_begin);
      file_.read(place_.offset + chunk_begin, chunk.size(), chunk.data());
      verify(chunk_begin, chunk_end, chunk.data());
      const std::uint64_t part_end = std::min(end, chunk_end);
      std::memcpy(target, chunk.data() + (at - chunk_begin), part_end - at);
      at = part_end;
    }
  }
}

void SectionReader::verify(std::uint64_t begin, std::uint64_t end, const std::byte* bytes) const {
  for (std::uint64_t at = begin; at < end; at += chunk_bytes_) {
    const std::uint64_t chunk_end = std::min(at + chunk_bytes_, end);
    if (checksum(bytes + (at - begin), chunk_end - at) == checksums_[at / chunk_bytes_]) continue;
    throw FileError(file_.path(), 0,
                    text("its section ", name(section_), " is damaged in bytes ", place_.offset + at, " to ",
                         place_.offset + chunk_end - 1, " of the file"),
                    "their checksum is not the one that was written",
                    "copy it again from where it came from, or write it again");
  }
}

void SectionWriter::write_chunk(const std::byte* bytes, std::uint64_t size) {
  checksums_.push_back(checksum(bytes, size));
  file_->write(place_.offset + written_, bytes, size);
  written_ += size;
}

void SectionWriter::append(const void* bytes, std::uint64_t size) {
  const auto* next = static_cast<const std::byte*>(bytes);
  while (size > 0) {
    // Whole chunks go as they are.
    if (begun_.empty() && size >= chunk_bytes_) {
      write_chunk(next, chunk_bytes_);
      next += chunk_bytes_;
      size -= chunk_bytes_;
      continue;
    }
    const std::uint64_t count = std::min(size, chunk_bytes_ - begun_.size());
    begun_.insert(begun_.end(), next, next + count);
    next += count;
    size -= count;
    if (begun_.size() < chunk_bytes_) continue;
    write_chunk(begun_.data(), chunk_bytes_);
    begun_.clear();
  }
}

void SectionWriter::finish() {
  if (!begun_.empty()) write_chunk(begun_.data(), begun_.size());
  begun_.clear();
}

}  // namespace ashlar::io
