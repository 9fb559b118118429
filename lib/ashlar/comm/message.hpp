#pragma once

namespace ashlar {

/// One transfer between ranks that is made once and may be started any number of times: a send, a receive, or a
/// collective. Between start() and the end of wait() its buffers are the transport's.
///
/// Async    start() returns at once; wait() returns when the buffers may be used again; is_done() tells whether wait()
///          would return at once, and lets the transport go on. One that was never started is done.
///          The destructor gives up what is under way; then the buffers may go, too.
/// Throws   CommError where the transport fails.
class Message {
 public:
  virtual ~Message() = default;
  Message() = default;
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  virtual void start() = 0;
  virtual bool is_done() = 0;
  virtual void wait() = 0;
};

}  // namespace ashlar
