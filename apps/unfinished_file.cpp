#include "unfinished_file.hpp"

#include <signal.h>

#include <ashlar/host/replaced_file.hpp>

namespace ashlar::app {

namespace {

extern "C" void handle_signal(int signal_number) {
  UnfinishedFile::remove_all();
  // The handler was for one time: now the signal does what it does to anybody.
  ::raise(signal_number);
}

}  // namespace

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
