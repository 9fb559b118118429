#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <ashlar/base/text.hpp>
#include <ashlar/host/output_file.hpp>
#include <ashlar/host/replaced_file.hpp>
#include <atomic>
#include <cerrno>
#include <climits>
#include <filesystem>
#include <iomanip>
#include <random>
#include <string_view>
#include <system_error>
#include <utility>

namespace ashlar {

namespace {

enum class SlotState : int { free, taken, named };

/// The data that a signal handler may read: it allocates nothing and outlives every file.
struct Slot {
  std::atomic<SlotState> state{SlotState::free};
  std::array<char, PATH_MAX> path{};
};
static_assert(std::atomic<SlotState>::is_always_lock_free);

std::array<Slot, 16> slots;

int take_slot(const std::string& path) {
  if (path.size() >= PATH_MAX) return -1;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    SlotState free = SlotState::free;
    if (!slots[k].state.compare_exchange_strong(free, SlotState::taken)) continue;
    path.copy(slots[k].path.data(), path.size());
    slots[k].path[path.size()] = '\0';
    slots[k].state = SlotState::named;
    return static_cast<int>(k);
  }
  return -1;
}

}  // namespace

UnfinishedFile::UnfinishedFile(std::string path) : path_(std::move(path)), slot_(take_slot(path_)) {}

UnfinishedFile::~UnfinishedFile() {
  ::unlink(path_.c_str());
  if (slot_ >= 0) slots[static_cast<std::size_t>(slot_)].state = SlotState::free;
}

void UnfinishedFile::remove_all() noexcept {
  for (const Slot& slot : slots) {
    if (slot.state == SlotState::named) ::unlink(slot.path.data());
  }
}

namespace fs = std::filesystem;

namespace {

/// No file of a user has this in its name.
constexpr std::string_view mark = ".ashlar-new-";
constexpr std::size_t num_digits = 16;

/// The prefix of left-over files: as much of the file's name as leaves room for the rest, in whole UTF-8 characters.
std::string beginning_of(const fs::path& target) {
  constexpr std::size_t longest = 249 - mark.size() - num_digits;
  std::string name = target.filename().string();
  if (name.size() > longest) {
    std::size_t end = longest;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
    name.resize(end);
  }
  return name.append(mark);
}

bool is_left_over(const std::string& name, const std::string& beginning) {
  return name.size() == beginning.size() + num_digits && name.starts_with(beginning) &&
         name.find_first_not_of("0123456789abcdef", beginning.size()) == std::string::npos;
}

}  // namespace

ReplacedFile::ReplacedFile(const std::string& path, Kind kind) : path_(path) {
  require_writable(path);
  std::error_code error;
  target_ = fs::absolute(link_target(path), error).string();
  const fs::file_status status = fs::status(target_, error);
  is_replaced_ = !descriptor_of(path) && (!fs::exists(status) || fs::is_regular_file(status));
  new_name_ = path;
  if (!is_replaced_) return;
  remove_left_overs();
  if (fs::exists(status)) permissions_ = static_cast<unsigned>(status.permissions() & fs::perms::mask);
  if (kind == Kind::named || !make_unnamed()) make_named();
}

bool ReplacedFile::make_unnamed() {
  const std::string folder = fs::path(target_).parent_path().string();
  file_ = FileDescriptor(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666));
  if (!file_.is_open()) return false;
  new_name_ = text("/proc/self/fd/", file_.get());
  ::flock(file_.get(), LOCK_EX | LOCK_NB);  // counts once it has a name
  if (::access(new_name_.c_str(), F_OK) == 0) return true;
  file_ = {};  // there is no /proc, by which it gets its name
  return false;
}

void ReplacedFile::make_named() {
  for (;;) {
    named_.emplace(temporary_name());
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    file_ = FileDescriptor(::open(named_->path().c_str(), flags, 0666));
    if (!file_.is_open()) {
      throw FileError(path_, 0, "cannot be written",
                      text("a new file beside it: ", std::generic_category().message(errno)),
                      "make the folder one that takes new files, or name a file in another");
    }
    // The lock says that the file has a writer. Another process that looks for left-overs may have been faster.
    struct stat status = {};
    const bool is_taken = ::flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!is_taken && ::fstat(file_.get(), &status) == 0 && status.st_nlink > 0) break;
  }
  new_name_ = named_->path();
}

void ReplacedFile::take_name() {
  if (!is_replaced_) return;
  if (permissions_) ::fchmod(file_.get(), *permissions_);
  if (is_unnamed()) {
    // The name can be given in one step only if it does not exist yet.
    if (::linkat(AT_FDCWD, new_name_.c_str(), AT_FDCWD, target_.c_str(), AT_SYMLINK_FOLLOW) == 0) return;
    if (errno != EEXIST) fail_to_replace(errno);
    named_.emplace(temporary_name());
    const std::string& name = named_->path();
    if (::linkat(AT_FDCWD, new_name_.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) fail_to_replace(errno);
    new_name_ = name;
  }
  if (::rename(new_name_.c_str(), target_.c_str()) != 0) fail_to_replace(errno);
}

void ReplacedFile::fail_to_replace(int error_number) const {
  throw FileError(path_, 0, "cannot be replaced", std::generic_category().message(error_number), "name another file");
}

std::string ReplacedFile::temporary_name() const {
  std::random_device random;
  const fs::path target(target_);
  const std::string name =
      text(beginning_of(target), std::hex, std::setfill('0'), std::setw(8), random(), std::setw(8), random());
  return (target.parent_path() / name).string();
}

/// A left-over has no process that holds its lock.
void ReplacedFile::remove_left_overs() const {
  const fs::path target(target_);
  const std::string beginning = beginning_of(target);
  std::error_code error;
  for (fs::directory_iterator entry(target.parent_path(), error), end; !error && entry != end; entry.increment(error)) {
    if (!is_left_over(entry->path().filename().string(), beginning)) continue;
    const std::string name = entry->path().string();
    const FileDescriptor file(::open(name.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat opened = {}, there = {};
    if (!file.is_open() || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) continue;
    const bool is_same = ::fstat(file.get(), &opened) == 0 && ::lstat(name.c_str(), &there) == 0 &&
                         opened.st_dev == there.st_dev && opened.st_ino == there.st_ino;
    if (is_same && S_ISREG(opened.st_mode)) ::unlink(name.c_str());
  }
}

}  // namespace ashlar
