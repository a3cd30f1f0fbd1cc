// SPDX-License-Identifier: Apache-2.0

import Recorder
import Testing

@Suite("Requests over the control socket")
struct ControlTests {
  private func read(_ line: String) -> Result<ControlRequest, ControlError> {
    do throws(ControlError) {
      return .success(try ControlRequest(line: line))
    } catch {
      return .failure(error)
    }
  }

  private func refusal(_ line: String) -> String {
    guard case .failure(let error) = read(line) else { return "" }
    return error.description
  }

  @Test("each request is read, with or without its line's end, and written back")
  func everyRequest() {
    let label = String(repeating: "é", count: 100)
    for (line, request) in [
      ("status", .status), ("start", .start), ("stop", .stop), ("keep", .keep),
      ("discard", .discard), ("mark", .mark("")), ("mark jump", .mark("jump")),
      ("mark two words", .mark("two words")), ("mark status", .mark("status")),
      ("mark \(label)", .mark(label)), ("watch", .watch), ("start calendar", .startByCalendar),
    ] as [(String, ControlRequest)] {
      for end in ["", "\n", "\r\n"] {
        #expect(read(line + end) == .success(request), "\(line)")
      }
      #expect(request.line == line)
    }
    #expect(read("mark   jump") == .success(.mark("jump")))
    #expect(read("stop ") == .success(.stop))
  }

  @Test("a line that is not a request is refused with the list of requests")
  func unknown() {
    for line in ["", " ", " start", "Start", "start now", "marks", "status;stop", "{}", "🙂"] {
      #expect(
        refusal(line)
          == "\"\(line)\" is not a request; the requests are status, start, stop, mark [WORDS], keep, "
          + "discard, watch")
    }
  }

  @Test("hostile lines are refused, in a sentence without control characters")
  func hostile() {
    let cases = [
      ("mark a\nstop", "control character"), ("mark \u{1B}[2J", "control character"),
      ("start\0", "control character"), ("start\n\n", "control character"),
      ("mark \u{2028}", "control character"),
      ("mark " + String(repeating: "a", count: 201), "201 bytes, and 200 fit"),
      ("mark " + String(repeating: "a", count: 1020), "longer than 1024 bytes"),
      (String(repeating: " ", count: 100_000), "longer than 1024 bytes"),
      (String(repeating: "é", count: 500), "is not a request"),
    ]
    for (line, words) in cases {
      let sentence = refusal(line)
      #expect(sentence.contains(words), "\(sentence)")
      #expect(sentence.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{9B}" })
      #expect(sentence.utf8.count < 250)
    }
  }

  @Test("a mark of any words becomes a line that is one request")
  func markLine() {
    #expect(ControlRequest.mark("a\nstop").line == "mark a?stop")
    #expect(ControlRequest.mark("  a ").line == "mark a ")
    #expect(ControlRequest.mark("   ").line == "mark")
    #expect(ControlRequest.mark("\u{1B}\r\u{85}").line == "mark ???")
  }
}
