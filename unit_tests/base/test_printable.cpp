#include <gtest/gtest.h>

#include <ashlar/base/text.hpp>
#include <string>

namespace ashlar {
namespace {

TEST(Printable, LeavesWhatIsShown) {
  const std::string text = "A b.mtx \\x1b ' \" ~ \u00a0 \u00e9 \u20ac \U0001f9f1";
  EXPECT_EQ(printable(text), text);
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, EscapesWhatATerminalObeys) {
  EXPECT_EQ(printable("a\x1b[31mb\r\n\t\x7f"), "a\\x1b[31mb\\x0d\\x0a\\x09\\x7f");
  EXPECT_EQ(printable(std::string("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\u009b31m"), "\\xc2\\x9b31m");  // ESC [ as one character
}

TEST(Printable, EscapesWhatIsNoUtf8) {
  EXPECT_EQ(printable("\x9b"
                      "31m \xff \xe2\x82 \xc3("),
            "\\x9b31m \\xff \\xe2\\x82 \\xc3(");
}

}  // namespace
}  // namespace ashlar
