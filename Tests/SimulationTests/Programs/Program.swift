import JSON
import Testing

/// Runs a whole program as an operator would declare it, and compares it with expectations worked
/// out by hand.
enum Program {
  /// Expects every line of a timeline: instant, recipient, reminder, title and body.
  static func expect(
    _ catalog: String,
    _ events: [(recipient: String, time: String, type: String, data: JSONValue)],
    until: String, _ expected: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let planner = try Fixtures.planner(catalog: catalog)
    let lines = try Fixtures.timeline(
      Fixtures.events(events, planner), planner, until: until)
    let actual = lines.map { line in
      let field = { (name: String) in line[name]?.stringValue ?? "" }
      let outcome = field("outcome") == "delivered" ? "" : " \(field("outcome"))"
      return "\(field("at").prefix(19)) \(field("recipient")) \(field("reminder"))\(outcome): "
        + "\(field("title")) | \(field("body"))"
    }
    let missing = expected.filter { !actual.contains($0) }
    let unexpected = actual.filter { !expected.contains($0) }
    #expect(
      actual == expected, Comment(rawValue: "missing \(missing), unexpected \(unexpected)"),
      sourceLocation: sourceLocation)
  }
}
