#pragma once

#include <ashlar/base/error.hpp>
#include <ashlar/base/overlap.hpp>
#include <ashlar/base/text.hpp>

namespace ashlar::impl {

/// Throws ArgumentError where b and x share memory.
template <class B, class X>
void refuse_overlap(const char* solver, const B& b, const X& x) {
  if (!overlap(b, x)) return;
  throw ArgumentError(text(solver, ": b and x overlap (", b.label(), ", ", x.label(), ")"),
                      "b would change with each iterate, and any x would pass for a solution",
                      "pass an x of its own; it holds the first guess");
}

}  // namespace ashlar::impl
