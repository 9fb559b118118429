#include <gtest/gtest.h>

#include <ashlar/trace/recorder.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::trace {
namespace {

using nlohmann::json;

TEST(JsonString, KeepsWhatIsUtf8) {
  const std::string all = std::string("a\"b\\c/\n\t\b\x01\x1f\x7f\0d", 15) + " \u00e9 \u20ac \U0001f9f1";
  EXPECT_EQ(json::parse(json_string(all)).get<std::string>(), all);
  EXPECT_EQ(json_string(""), "\"\"");
  EXPECT_EQ(json_string("a\nb"), "\"a\\u000ab\"");
}

TEST(JsonString, ReplacesWhatIsNot) {
  const std::string bad = "\ufffd";
  const auto parsed = [](const std::string& text) { return json::parse(json_string(text)).get<std::string>(); };
  EXPECT_EQ(parsed("a\xff"
                   "b"),
            "a" + bad + "b");                                    // in no character
  EXPECT_EQ(parsed("\x80"), bad);                                // a continuation of nothing
  EXPECT_EQ(parsed("a\xe2\x82"), "a" + bad + bad);               // cut off at the end
  EXPECT_EQ(parsed("\xc3("), bad + "(");                         // cut off by another
  EXPECT_EQ(parsed("\xc0\xaf"), bad + bad);                      // longer than need be
  EXPECT_EQ(parsed("\xe0\x80\xaf"), bad + bad + bad);            // longer than need be
  EXPECT_EQ(parsed("\xed\xa0\x80"), bad + bad + bad);            // half of a pair
  EXPECT_EQ(parsed("\xf4\x90\x80\x80"), bad + bad + bad + bad);  // past the last
}

TEST(ChromeJson, WritesTracksAndSpans) {
  const std::vector<Span> spans{{"solve \"x\"", "host thread 0", SpanKind::region, 1, 5'000'001'234},
                                {"y := x", "copies Host -> Cuda", SpanKind::copy, 2'500, 3'000, 64}};
  std::ostringstream out;
  write_chrome_json(out, spans, {"host thread 0", "copies Host -> Cuda"});
  const json trace = json::parse(out.str());

  std::vector<json> metadata, complete;
  for (const json& event : trace.at("traceEvents")) (event.at("ph") == "M" ? metadata : complete).push_back(event);
  ASSERT_EQ(complete.size(), 2u);
  EXPECT_EQ(complete[0].at("name"), "solve \"x\"");
  EXPECT_EQ(complete[0].at("cat"), "region");
  EXPECT_EQ(complete[0].at("ts"), 0.001);
  EXPECT_EQ(complete[0].at("dur"), 5000001.233);
  EXPECT_FALSE(complete[0].contains("args"));
  EXPECT_EQ(complete[1].at("ts"), 2.5);
  EXPECT_EQ(complete[1].at("dur"), 0.5);
  EXPECT_EQ(complete[1].at("args").at("bytes"), 64);

  const auto track_of = [&](const json& span) -> std::string {
    for (const json& m : metadata) {
      if (m.at("name") == "thread_name" && m.at("tid") == span.at("tid") && m.at("pid") == span.at("pid")) {
        return m.at("args").at("name");
      }
    }
    return "";
  };
  EXPECT_EQ(track_of(complete[0]), "host thread 0");
  EXPECT_EQ(track_of(complete[1]), "copies Host -> Cuda");
}

TEST(ChromeJson, KeepsProcessesApart) {
  const Span span{"work", "lane", SpanKind::region, 1'000, 3'000};
  std::ostringstream out;
  write_chrome_json(out, {{"first \"one\"", {span}, {"other", "lane"}}, {"second", {span, span}, {"lane"}}});
  const json trace = json::parse(out.str());
  std::vector<std::string> processes, lanes;
  std::vector<std::pair<int, int>> spans;
  for (const json& event : trace.at("traceEvents")) {
    const std::string name = event.at("name");
    if (name == "process_name") {
      EXPECT_EQ(event.at("pid"), processes.size());
      processes.push_back(event.at("args").at("name"));
    } else if (name == "thread_name") {
      lanes.push_back(std::to_string(event.at("pid").get<int>()) + "." + std::to_string(event.at("tid").get<int>()) +
                      " " + event.at("args").at("name").get<std::string>());
    } else if (event.at("ph") == "X") {
      spans.emplace_back(event.at("pid"), event.at("tid"));
    }
  }
  EXPECT_EQ(processes, (std::vector<std::string>{"first \"one\"", "second"}));
  EXPECT_EQ(lanes, (std::vector<std::string>{"0.0 other", "0.1 lane", "1.0 lane"}));
  EXPECT_EQ(spans, (std::vector<std::pair<int, int>>{{0, 1}, {1, 0}, {1, 0}}));
}

TEST(ChromeJson, JoinsTheEventsOfMany) {
  const std::vector<Process> first{{"rank 0", {{"a", "t", SpanKind::region, 0, 1}}, {"t"}}},
      second{{"rank 1", {{"b", "t", SpanKind::region, 0, 1}}, {"t"}}};
  std::ostringstream out;
  join_chrome_events(out, {chrome_events(first, 0), chrome_events({}, 1), chrome_events(second, 1)});
  std::vector<std::pair<int, std::string>> spans;
  const json trace = json::parse(out.str());
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X") spans.emplace_back(event.at("pid").get<int>(), event.at("name").get<std::string>());
  }
  EXPECT_EQ(spans, (std::vector<std::pair<int, std::string>>{{0, "a"}, {1, "b"}}));
}

TEST(ChromeJson, NothingIsATraceToo) {
  std::ostringstream none;
  write_chrome_json(none, std::vector<Process>{});
  EXPECT_TRUE(json::parse(none.str()).at("traceEvents").empty());
  std::ostringstream out;
  write_chrome_json(out, {}, {});
  EXPECT_EQ(json::parse(out.str()).at("traceEvents").size(), 1u);  // the process has a name
}

}  // namespace
}  // namespace ashlar::trace
