#include "text_source.hpp"

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/host/text_file.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#ifdef ASHLAR_HAS_ZLIB
#include <zlib.h>
#endif

namespace ashlar {

namespace {

/// The first bytes of a file that gzip has made.
constexpr std::array<char, 2> gzip_mark{'\x1f', '\x8b'};

}  // namespace

#ifdef ASHLAR_HAS_ZLIB

bool reads_compressed_files() { return true; }

/// zlib's state, and compressed bytes that have been read.
struct TextSource::Unpacker {
  z_stream stream{};
  std::array<char, 1 << 16> bytes;
  bool is_at_end = false;   // of a compressed part, which another may follow
  bool is_padding = false;  // zeros have followed a part

  Unpacker() {
    constexpr int largest_window = 15, gzip_alone = 16;
    if (inflateInit2(&stream, largest_window + gzip_alone) != Z_OK) throw std::bad_alloc();
  }
  ~Unpacker() { inflateEnd(&stream); }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  /// Passes over the zeros behind the last part, which fill a block of a tape or of a disk.
  void skip_padding() {
    while (stream.avail_in > 0 && *stream.next_in == 0) {
      ++stream.next_in;
      --stream.avail_in;
      is_padding = true;
    }
  }
};

std::size_t TextSource::unpack(char* to, std::size_t count) {
  constexpr std::size_t most = 1 << 30;  // zlib counts in 32 bits
  count = std::min(count, most);
  z_stream& stream = unpacker_->stream;
  stream.next_out = reinterpret_cast<Bytef*>(to);
  stream.avail_out = static_cast<uInt>(count);
  while (stream.avail_out > 0) {
    if (stream.avail_in == 0) {
      stream.avail_in = static_cast<uInt>(read_file(unpacker_->bytes.data(), unpacker_->bytes.size()));
      stream.next_in = reinterpret_cast<Bytef*>(unpacker_->bytes.data());
    }
    if (unpacker_->is_at_end && stream.avail_in > 0) {
      unpacker_->skip_padding();
      if (stream.avail_in == 0) continue;
      if (unpacker_->is_padding) {
        throw FileError(path_, 0, "the compressed file is damaged",
                        text("more than zeros follows its end, before byte ", place_),
                        "copy it again, or compress the text again");
      }
    }
    if (stream.avail_in == 0) {
      if (unpacker_->is_at_end) break;
      throw FileError(path_, 0, "the compressed file ends early", text("it has ", place_, " bytes"),
                      "copy it again, or compress the text again");
    }
    if (unpacker_->is_at_end) inflateReset(&stream);
    const int code = inflate(&stream, Z_NO_FLUSH);
    unpacker_->is_at_end = code == Z_STREAM_END;
    if (code == Z_OK || code == Z_STREAM_END) continue;
    throw FileError(path_, 0, "the compressed file is damaged",
                    text(stream.msg != nullptr ? stream.msg : "zlib cannot read it", ", before byte ", place_),
                    "copy it again, or compress the text again");
  }
  return count - stream.avail_out;
}

#else

bool reads_compressed_files() { return false; }

struct TextSource::Unpacker {};

std::size_t TextSource::unpack(char*, std::size_t) { return 0; }

#endif

TextSource::TextSource(const std::string& path) : path_(path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw FileError(path, 0, "cannot be read", "it is a folder", "name a file");
  }
  file_.reset(std::fopen(path.c_str(), "rb"));
  if (!file_) {
    const bool forbidden = errno == EACCES || errno == EPERM;
    throw FileError(path, 0, "cannot be opened", std::generic_category().message(errno),
                    forbidden ? "check the permissions" : "check the name and the folder");
  }
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  num_first_ = read_file(first_.data(), first_.size());
  place_ = 0;
  if (reads_compressed_files() && num_first_ == first_.size() && first_ == gzip_mark) {
    unpacker_ = std::make_unique<Unpacker>();
  }
}

TextSource::~TextSource() = default;

std::size_t TextSource::read(char* to, std::size_t count) {
  return unpacker_ ? unpack(to, count) : read_file(to, count);
}

std::size_t TextSource::read_file(char* to, std::size_t count) {
  const std::size_t again = std::min(count, num_first_);
  std::copy_n(first_.data(), again, to);
  std::copy(first_.data() + again, first_.data() + num_first_, first_.data());
  num_first_ -= again;
  const std::size_t done = again + std::fread(to + again, 1, count - again, file_.get());
  place_ += done;
  if (std::ferror(file_.get())) {
    throw FileError(path_, 0, text("cannot be read past byte ", place_), std::generic_category().message(errno),
                    "check the disk");
  }
  return done;
}

std::uint64_t text_size(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return 0;
  const std::uint64_t size = std::filesystem::file_size(path, unknown);
  if (unknown || !reads_compressed_files() || size < 18) return unknown ? 0 : size;
  std::ifstream file(path, std::ios::binary);
  std::array<char, 2> first{};
  std::array<unsigned char, 4> last{};
  file.read(first.data(), 2);
  file.seekg(-4, std::ios::end);
  file.read(reinterpret_cast<char*>(last.data()), 4);
  if (!file || first != gzip_mark) return size;
  std::uint64_t told = 0;
  for (int k = 3; k >= 0; --k) told = told << 8 | last[std::size_t(k)];
  constexpr std::uint64_t most_per_byte = 1032;  // of the method that gzip uses
  return std::clamp(told, size, most_per_byte * size);
}

}  // namespace ashlar
