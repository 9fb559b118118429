#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/base/error.hpp>
#include <ashlar/io/vtk.hpp>
#include <bit>
#include <filesystem>
#include <string>

#include "file_size_limit.hpp"
#include "support/message.hpp"
#include "support/temporary_folder.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

struct Pvtu : ::testing::Test {
  TemporaryFolder folder;
  const std::string path = folder / "mesh.pvtu";
};

TEST_F(Pvtu, NamesThePiecesAndTheirFields) {
  io::write_pvtu(path, {"mesh_0.vtu", "a&b_1.vtu"}, {{"displacement <mm>", 3, {}}, {"temperature", 1, {}}});
  const std::string order = std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";
  EXPECT_EQ(content_of(path),
            "<?xml version=\"1.0\"?>\n"
            "<VTKFile type=\"PUnstructuredGrid\" version=\"1.0\" byte_order=\"" +
                order +
                "\" header_type=\"UInt64\">\n"
                "<PUnstructuredGrid GhostLevel=\"0\">\n"
                "<PPointData>\n"
                "<PDataArray type=\"Float64\" Name=\"displacement &lt;mm&gt;\" NumberOfComponents=\"3\"/>\n"
                "<PDataArray type=\"Float64\" Name=\"temperature\" NumberOfComponents=\"1\"/>\n"
                "</PPointData>\n"
                "<PPoints>\n"
                "<PDataArray type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\"/>\n"
                "</PPoints>\n"
                "<Piece Source=\"mesh_0.vtu\"/>\n"
                "<Piece Source=\"a&amp;b_1.vtu\"/>\n"
                "</PUnstructuredGrid>\n"
                "</VTKFile>\n");
}

TEST_F(Pvtu, RefusesFieldsThatCannotBeFound) {
  EXPECT_THAT(message_of<ArgumentError>([&] {
                io::write_pvtu(path, {"a_0.vtu"}, {{"", 1, {}}});
              }),
              HasSubstr("write_pvtu: a field named ''"));
  EXPECT_THAT(message_of<ArgumentError>([&] {
                io::write_pvtu(path, {"a_0.vtu"}, {{"u", 1, {}}, {"u", 3, {}}});
              }),
              HasSubstr("two fields named 'u'"));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(Pvtu, IsWholeOrNotThere) {
  const FileSizeLimit limit(100);
  EXPECT_THAT(message_of<FileError>([&] { io::write_pvtu(path, {"a_0.vtu"}, {}); }), HasSubstr("cannot be written"));
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace ashlar::testing
