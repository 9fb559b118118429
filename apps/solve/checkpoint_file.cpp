#include "solve/files.hpp"

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/distributed/shared_file.hpp>
#include <ashlar/io/block_file.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <locale>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ashlar::app {

namespace {

constexpr std::string_view magic = "ASHLARCG";
constexpr std::uint64_t version = 3;

/// Where a rank's part is.
struct RankPart {
  std::uint64_t offset = 0, size = 0, checksum = 0;
};

/// The file begins with magic, version, number of ranks, that many parts, and the checksum of all this.
std::uint64_t checkpoint_header_bytes(std::uint64_t ranks) {
  return magic.size() + 3 * sizeof(std::uint64_t) + ranks * sizeof(RankPart);
}

std::uint64_t checksum_of_bytes(const std::string& bytes) { return io::checksum(bytes.data(), bytes.size()); }

[[noreturn]] void refuse_checkpoint(const std::string& path, const std::string& problem) {
  throw FileError(path, 0, problem, "a solve resumes from a whole checkpoint of its own", "start without --resume");
}

/// Values one after another; sequences with their length before them.
class CheckpointWriter {
 public:
  template <class Value>
  void add(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(Value));
  }
  template <class Value>
  void add(const Value* values, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<Value>);
    add(std::uint64_t(count * sizeof(Value)));
    bytes_.append(reinterpret_cast<const char*>(values), count * sizeof(Value));
  }
  void add(const std::string& text) { add(text.data(), text.size()); }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class CheckpointReader {
 public:
  CheckpointReader(const std::string& path, const std::string& bytes) : path_(path), bytes_(bytes) {}

  template <class Value>
  Value get() {
    Value value;
    std::memcpy(&value, next(sizeof(Value)), sizeof(Value));
    return value;
  }
  template <class Value>
  std::vector<Value> get_sequence() {
    const auto size = get<std::uint64_t>();
    if (size > left() || size % sizeof(Value) != 0) refuse_checkpoint(path_, "its parts are too short");
    std::vector<Value> values(size / sizeof(Value));
    if (size > 0) std::memcpy(values.data(), next(size), size);
    return values;
  }
  std::string get_text() {
    const std::vector<char> characters = get_sequence<char>();
    return {characters.begin(), characters.end()};
  }

 private:
  std::size_t left() const { return bytes_.size() - at_; }
  const char* next(std::size_t size) {
    if (size > left()) refuse_checkpoint(path_, "it ends too early");
    at_ += size;
    return bytes_.data() + at_ - size;
  }

  const std::string& path_;
  const std::string& bytes_;
  std::size_t at_ = 0;
};

std::string serialised(const std::vector<Identity>& identities, const CgCheckpoint& checkpoint) {
  CheckpointWriter writer;
  writer.add(std::uint64_t(identities.size()));
  for (const auto& [name, value] : identities) {
    writer.add(name);
    writer.add(value);
  }
  writer.add(checkpoint.launch);
  writer.add(checkpoint.scalar);
  writer.add(checkpoint.scale);
  writer.add(&checkpoint.scalars, 1);
  writer.add(&checkpoint.account, 1);
  writer.add(checkpoint.norms.data(), checkpoint.norms.size());
  writer.add(std::uint64_t(checkpoint.vectors.size()));
  for (const auto& vector : checkpoint.vectors) writer.add(vector.data(), vector.size());
  return writer.take();
}

std::string bytes_at(const std::string& path, std::ifstream& file, std::uint64_t offset, std::uint64_t size) {
  file.seekg(0, std::ios::end);
  const auto length = static_cast<std::uint64_t>(file.tellg());
  if (offset > length || size > length - offset) refuse_checkpoint(path, "it is shorter than it says");
  std::string bytes(size, '\0');
  file.seekg(static_cast<std::streamoff>(offset));
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size))) refuse_checkpoint(path, "it cannot be read");
  return bytes;
}

std::ifstream open_checkpoint(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  file.imbue(std::locale::classic());
  if (!file) throw FileError(path, 0, "cannot be opened", std::strerror(errno), "name a file that --checkpoint wrote");
  return file;
}

RankPart rank_part_of(const World& world, const std::string& path, std::ifstream& file) {
  const auto ranks = static_cast<std::uint64_t>(world.comm().size());
  const std::string start = bytes_at(path, file, 0, magic.size() + 2 * sizeof(std::uint64_t));
  CheckpointReader first(path, start);
  char found[magic.size()];
  for (char& character : found) character = first.get<char>();
  if (std::string_view(found, magic.size()) != magic) refuse_checkpoint(path, "it is no checkpoint of ashlar solve");
  if (first.get<std::uint64_t>() != version) refuse_checkpoint(path, "it is a checkpoint of another version of ashlar");
  if (const auto of = first.get<std::uint64_t>(); of != ranks) {
    refuse_checkpoint(path, text("it is a checkpoint of ", of, " ranks, and these are ", ranks));
  }
  const std::string header = bytes_at(path, file, 0, checkpoint_header_bytes(ranks));
  CheckpointReader last(path, header);
  for (std::size_t k = 0; k < magic.size(); ++k) last.get<char>();
  last.get<std::uint64_t>();
  last.get<std::uint64_t>();
  RankPart mine;
  for (int rank = 0; rank < world.comm().size(); ++rank) {
    const auto part = last.get<RankPart>();
    if (rank == world.comm().rank()) mine = part;
  }
  const std::string summed = header.substr(0, header.size() - sizeof(std::uint64_t));
  if (last.get<std::uint64_t>() != checksum_of_bytes(summed)) refuse_checkpoint(path, "its header is damaged");
  return mine;
}

}  // namespace

void write_checkpoint(const World& world, const std::string& path, const std::vector<Identity>& identities,
                      const CgCheckpoint& checkpoint) {
  const std::string mine = serialised(identities, checkpoint);
  const auto ranks = static_cast<std::uint64_t>(world.comm().size());
  std::vector<RankPart> parts = world.comm().all_gather(RankPart{0, mine.size(), checksum_of_bytes(mine)});
  std::uint64_t offset = checkpoint_header_bytes(ranks);
  for (RankPart& part : parts) {
    part.offset = offset;
    offset += part.size;
  }
  CheckpointWriter writer;
  for (const char character : magic) writer.add(character);
  writer.add(version);
  writer.add(ranks);
  for (const RankPart& part : parts) writer.add(part);
  std::string header = writer.take();
  const std::uint64_t checksum = checksum_of_bytes(header);
  header.append(reinterpret_cast<const char*>(&checksum), sizeof(checksum));

  SharedFile file(world.comm(), path);
  file.write(0, header.data(), world.speaks() ? header.size() : 0);
  file.write(parts[std::size_t(world.comm().rank())].offset, mine.data(), mine.size());
  file.close();
}

CgCheckpoint read_checkpoint(const World& world, const std::string& path, const std::vector<Identity>& identities) {
  std::ifstream file = open_checkpoint(path);
  const RankPart part = rank_part_of(world, path, file);
  const std::string bytes = bytes_at(path, file, part.offset, part.size);
  if (checksum_of_bytes(bytes) != part.checksum)
    refuse_checkpoint(path, text("the part of rank ", world.comm().rank(), " is damaged"));
  CheckpointReader reader(path, bytes);
  const auto count = reader.get<std::uint64_t>();
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::string name = reader.get_text(), value = reader.get_text();
    const std::string here = k < identities.size() && identities[k].name == name ? identities[k].value : "";
    if (here == value) continue;
    throw ArgumentError(text("--resume ", path, " with another ", name),
                        text("the checkpoint is of '", value, "', and this solve of '", here, "'"),
                        "pass what the solve before was given, or start without --resume");
  }
  CgCheckpoint checkpoint;
  checkpoint.launch = reader.get_text();
  checkpoint.scalar = reader.get_text();
  checkpoint.scale = reader.get<double>();
  const auto one = [&](const auto& values) {
    if (values.size() != 1) refuse_checkpoint(path, "it is a checkpoint of another build of ashlar");
    return values[0];
  };
  checkpoint.scalars = one(reader.get_sequence<CgScalars>());
  checkpoint.account = one(reader.get_sequence<ashlar::SolveAccount>());
  checkpoint.norms = reader.get_sequence<double>();
  for (auto vectors = reader.get<std::uint64_t>(); vectors > 0; --vectors) {
    checkpoint.vectors.push_back(reader.get_sequence<std::byte>());
  }
  return checkpoint;
}

void check_checkpoint_header(const World& world, const std::string& path) {
  std::ifstream file = open_checkpoint(path);
  rank_part_of(world, path, file);
}

}  // namespace ashlar::app
