import Foundation
import Testing

/// `chimed simulate --chart`, which draws the days of one recipient.
@OwnThread @Suite struct ChartTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
  }

  private static func event(
    _ type: String, _ recipient: String, _ id: String, _ data: String
  ) -> String {
    """
    {"specversion":"1.0","id":"\(id)","source":"tests","type":"\(type)","subject":"\(recipient)",\
    "time":"2026-03-01T12:00:00Z","data":\(data)}

    """
  }

  private func simulate(_ events: String, into chart: String) throws -> Chimectl.Result {
    let file = workspace.path + "/events"
    try Data(events.utf8).write(to: URL(fileURLWithPath: file))
    return try Chimectl.finish(
      ChildProcess(
        Project.chimed,
        [
          "simulate", "--catalog", "imanpath", "--until", "2026-03-31T00:00:00Z", "--chart", chart,
          file,
        ], environment: ["CHIMED_CATALOGS": Project.catalogs]))
  }

  @Test func `L1: the chart draws the notifications of the timeline`() throws {
    let chart = workspace.path + "/chart.svg"
    let quiet = #"{"quietHours":{"enabled":true,"start":"20:00","end":"07:00"}}"#
    let request = #"{"category":"LESSON","title":"<b>&\"","body":"b","at":"2026-03-05T12:00:00Z"}"#
    let result = try simulate(
      Self.event("recipient.updated", "u1", "1", #"{"timezone":"Asia/Tokyo"}"#)
        + Self.event("preferences.updated", "u1", "2", quiet)
        + Self.event("notification.requested", "u1", "3", request), into: chart)
    #expect(result.ending == .exited(0), "\(result.errors)")
    let drawing = try String(contentsOfFile: chart, encoding: .utf8)
    let lineCount = result.output.split(separator: "\n").count
    // The chart has a circle for each line of the timeline, and four in its legend.
    let circleCount = drawing.components(separatedBy: "<circle").count - 1
    #expect(lineCount > 20 && circleCount == lineCount + 4)
    #expect(drawing.contains(">2026-03-01</text>") && drawing.contains(">2026-03-31</text>"))
    #expect(drawing.contains("class=\"q\"") && drawing.contains("class=\"m\""))
    #expect(drawing.contains("&lt;b&gt;&amp;&quot;") && !drawing.contains("<b>"))
  }

  @Test func `a chart of several recipients or in a missing directory is refused`() throws {
    let chart = workspace.path + "/chart.svg"
    let result = try simulate(
      Self.event("relapse", "u1", "1", "{}") + Self.event("relapse", "u2", "2", "{}"), into: chart)
    #expect(result.ending == .exited(64))
    #expect(result.errors.contains("--chart draws one recipient; the events are about 2"))
    #expect(!FileManager.default.fileExists(atPath: chart))
    let missingDirectory = try simulate(
      Self.event("relapse", "u1", "1", "{}"), into: workspace.path + "/none/chart.svg")
    #expect(missingDirectory.ending == .exited(73))
  }
}
