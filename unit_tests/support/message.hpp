#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <string>

namespace ashlar::testing {

/// What the error that `act` throws says; a failure where it throws none of this type.
template <class E, class Act>
std::string message_of(const Act& act) {
  try {
    act();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "an error of another type: " << error.what();
    return "";
  }
  ADD_FAILURE() << "no error";
  return "";
}

}  // namespace ashlar::testing
