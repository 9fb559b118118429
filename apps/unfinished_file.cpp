#include "unfinished_file.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace ashlar::app {

namespace {

// What a signal handler may look at: it runs whatever any thread is in the middle of.
std::atomic<const char*> unfinished = nullptr;
static_assert(std::atomic<const char*>::is_always_lock_free);

extern "C" void remove_unfinished(int signal_number) {
  if (const char* const path = unfinished.load()) ::unlink(path);
  // The handler was for one time: now the signal does what it does to anybody.
  ::raise(signal_number);
}

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& path) : path_(path) { unfinished = path_.c_str(); }

UnfinishedFile::~UnfinishedFile() {
  // Gone already, where it has got its name.
  ::unlink(path_.c_str());
  unfinished = nullptr;
}

void handle_signals() {
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    // Who started the command with the signal ignored (nohup) wants it ignored.
    if (::sigaction(signal_number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = remove_unfinished;
    action.sa_flags = SA_RESETHAND;
    ::sigaction(signal_number, &action, nullptr);
  }
  ::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace ashlar::app
