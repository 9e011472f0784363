import JSON
import Reminders

/// The status as text: problems, the next occurrences, queues.
struct StatusReport {
  private let status: StatusDocument
  private let findings: [Finding]
  private let showsLanes: Bool

  /// - Parameters:
  ///   - document: the service's reply.
  ///   - showsLanes: whether to show each sink's lane even if there are no problems.
  init(
    _ document: JSONValue, showsLanes: Bool = false, version: String = Version.current
  ) throws(CommandError) {
    status = try StatusDocument(document)
    findings = Diagnosis(status: status, version: version).findings
    self.showsLanes = showsLanes || !findings.isEmpty
  }

  /// Whether no finding is a fault.
  var isHealthy: Bool { !findings.hasFault }

  func text(on screen: Screen = .current) -> String {
    var text = findings.style.mark(headline, on: screen) + "\n"
    if !findings.isEmpty {
      text += "\n" + findings.map { $0.text(on: screen) }.joined() + "\n"
    }
    text += summary.text(on: screen)
    if showsLanes, !status.lanes.isEmpty {
      text += "\n" + LaneTable.text(status, on: screen)
    }
    return text
  }

  private var headline: String {
    if !findings.isEmpty { return findings.headline.printable }
    return "healthy, running for \(TimeDistance.length(status.uptime))"
  }

  private var summary: Table {
    var table = Table()
    if !findings.isEmpty { table.add(["running for", TimeDistance.length(status.uptime)]) }
    table.add(["next", nextOccurrences])
    table.add([
      "pending", "\(Self.grouped(status.pending)), of \(Self.recipients(status.recipients))",
    ])
    if status.due > 0 { table.add(["due now", Self.recipients(status.due)]) }
    if status.replanning > 0 { table.add(["replanning", Self.recipients(status.replanning)]) }
    if !showsLanes { table.add(["sinks", status.lanes.map(\.sink).joined(separator: ", ")]) }
    if let orphans = counts(\.orphaned) {
      table.add(["orphans", orphans + ", dispatched again at the start"])
    }
    if let quarantined = counts(\.quarantined) {
      table.add(["quarantined", quarantined + ", after repeated crashes; see the dead letters"])
    }
    if let fleet = status.fleet { table.add(["fleet", fleet.text]) }
    if let audit = status.audit {
      let words =
        audit.differences == 0 ? "no differences" : "\(audit.differences) with differences"
      table.add([
        "audit",
        "\(Self.recipients(audit.recipients)), \(words), \(audit.excused) excused, "
          + "until \(audit.until)",
      ])
    }
    table.add(["catalogs", status.catalogs.joined(separator: ", ")])
    table.add(["time zones", "\(status.zoneDatabase), default \(status.defaultZone)"])
    return table
  }

  /// Returns a text such as "12 of mail, 1 of webhook"; nil if all counts are 0.
  private func counts(_ answer: KeyPath<LaneDocument.Answers, Int64>) -> String? {
    let counts = status.lanes.filter { $0.answers[keyPath: answer] > 0 }
      .map { "\(Self.grouped($0.answers[keyPath: answer])) of \($0.sink)" }
    return counts.isEmpty ? nil : counts.joined(separator: ", ")
  }

  private var nextOccurrences: String {
    guard let next = status.next.first else { return "nothing" }
    let countdown = TimeDistance.text(to: next.at, from: status.now)
    let people = (next.hasMore ? "at least " : "") + Self.recipients(next.recipients)
    return "\(next.reminder) for \(people) \(countdown), at \(next.at)"
  }

  static func recipients(_ count: Int64) -> String {
    count == 1 ? "1 recipient" : "\(grouped(count)) recipients"
  }

  /// Returns a text such as "1,234,567".
  static func grouped(_ number: Int64) -> String {
    var text = ""
    for (position, digit) in String(number.magnitude).reversed().enumerated() {
      if position > 0 && position.isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return (number < 0 ? "-" : "") + String(text.reversed())
  }

  /// Returns the text of a number that the service counts only up to 10,000: "9,999", then
  /// "10,000+".
  static func limited(_ number: Int64) -> String {
    grouped(number) + (number < 10_000 ? "" : "+")
  }
}
