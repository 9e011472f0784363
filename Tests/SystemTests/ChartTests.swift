import Foundation
import Testing

/// `chimed simulate --chart`: one person's days as a drawing.
@OwnThread @Suite struct ChartTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
  }

  private static func event(
    _ type: String, _ person: String, _ id: String, _ data: String
  ) -> String {
    """
    {"specversion":"1.0","id":"\(id)","source":"tests","type":"\(type)","subject":"\(person)",\
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
    let wanted = #"{"category":"LESSON","title":"<b>&\"","body":"b","at":"2026-03-05T12:00:00Z"}"#
    let result = try simulate(
      Self.event("recipient.updated", "u1", "1", #"{"timezone":"Asia/Tokyo"}"#)
        + Self.event("preferences.updated", "u1", "2", quiet)
        + Self.event("notification.requested", "u1", "3", wanted), into: chart)
    #expect(result.ending == .exited(0), "\(result.errors)")
    let drawing = try String(contentsOfFile: chart, encoding: .utf8)
    let lines = result.output.split(separator: "\n").count
    // A circle for each line, and four in the legend.
    #expect(lines > 20 && drawing.components(separatedBy: "<circle").count - 1 == lines + 4)
    #expect(drawing.contains(">2026-03-01</text>") && drawing.contains(">2026-03-31</text>"))
    #expect(drawing.contains("class=\"q\"") && drawing.contains("class=\"m\""))
    #expect(drawing.contains("&lt;b&gt;&amp;&quot;") && !drawing.contains("<b>"))
  }

  @Test func `a chart of several people is refused`() throws {
    let chart = workspace.path + "/chart.svg"
    let result = try simulate(
      Self.event("relapse", "u1", "1", "{}") + Self.event("relapse", "u2", "2", "{}"), into: chart)
    #expect(result.ending == .exited(64))
    #expect(result.errors.contains("--chart draws one recipient; the events are about 2"))
    #expect(!FileManager.default.fileExists(atPath: chart))
    let nowhere = try simulate(
      Self.event("relapse", "u1", "1", "{}"), into: workspace.path + "/none/chart.svg")
    #expect(nowhere.ending == .exited(73))
  }
}
