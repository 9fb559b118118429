#pragma once

#include <exception>

namespace ashlar::app {

/// Lets work go on past an error: what has been computed is written as far as it can be, and then the first error
/// counts.
class FirstError {
 public:
  template <class Work>
  void keep_from(const Work& work) {
    try {
      work();
    } catch (...) {
      if (!first_) first_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::exception_ptr first_;
};

}  // namespace ashlar::app
