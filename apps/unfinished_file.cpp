#include "unfinished_file.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace ashlar::app {

namespace {

// What a signal handler may look at: it runs whatever any thread is in the middle of.
std::atomic<const UnfinishedFile*> last = nullptr;
static_assert(std::atomic<const UnfinishedFile*>::is_always_lock_free);

extern "C" void handle_signal(int signal_number) {
  UnfinishedFile::remove_all();
  // The handler was for one time: now the signal does what it does to anybody.
  ::raise(signal_number);
}

}  // namespace

void UnfinishedFile::remove_all() noexcept {
  for (const UnfinishedFile* file = last.load(); file != nullptr; file = file->before_) ::unlink(file->path_.c_str());
}

UnfinishedFile::UnfinishedFile(const std::string& path) : path_(path), before_(last) { last = this; }

UnfinishedFile::~UnfinishedFile() {
  // Gone already, where it has got its name.
  ::unlink(path_.c_str());
  last = before_;
}

void handle_signals() {
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    // Who started the command with the signal ignored (nohup) wants it ignored.
    if (::sigaction(signal_number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = handle_signal;
    action.sa_flags = SA_RESETHAND;
    ::sigaction(signal_number, &action, nullptr);
  }
  ::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace ashlar::app
