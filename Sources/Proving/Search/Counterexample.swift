package import CivilTime
import JSON
import Reminders

/// A broken rule with the events that show it.
package struct Counterexample: Sendable {
  package let rule: ProofRule
  /// The identifier of the reminder that breaks the rule.
  package let reminder: String
  /// The fault, as a sentence.
  package let fault: String
  /// The events, one JSON object each, as `chimed simulate` reads them; empty if no world is
  /// needed to see the fault.
  package let events: [String]
  /// The last instant of the simulation.
  package let until: Instant
  /// The lines of the timeline that break the rule, one JSON object each.
  package let broken: [String]
  /// The lines that the timeline lacks because of the fault, one JSON object each.
  package let missing: [String]

  init(_ finding: Finding) {
    (rule, reminder, fault) = (finding.rule, finding.reminder, finding.fault)
    (events, until) = (finding.world.lines, finding.world.until)
    broken = finding.lines.map(Self.line)
    missing = finding.missing.map(Self.line)
  }

  private static func line(_ entry: TimelineEntry) -> String {
    var writer = JSONWriter()
    entry.write(to: &writer, isExplained: false)
    return String(decoding: writer.bytes, as: UTF8.self).filter { $0 != "\n" }
  }

  /// Returns the counterexample as lines of text: the fault, the events, the lines of the timeline
  /// and the command that shows them. If there are no events, the fault is the only line.
  ///
  /// - Parameter catalogs: the arguments by which `chimed simulate` finds the catalogs.
  func lines(catalogs: [String]) -> [String] {
    guard !events.isEmpty else { return [fault] }
    let options = catalogs.map { "--catalog \(Self.quoted($0))" }.joined(separator: " ")
    return [fault, "events:"] + events.map { "  \($0)" }
      + (broken.isEmpty ? [] : ["lines that break the rule:"] + broken.map { "  \($0)" })
      + (missing.isEmpty ? [] : ["lines that are missing:"] + missing.map { "  \($0)" })
      + ["to see it: chimed simulate \(options) --until \(until) EVENTS"]
  }

  /// Returns the argument in quotes if a shell would not read it as it is.
  private static func quoted(_ argument: String) -> String {
    let isPlain = argument.allSatisfy { $0.isLetter || $0.isNumber || "/._-".contains($0) }
    return isPlain ? argument : "'" + argument.replacing("'", with: "'\\''") + "'"
  }

  var document: JSONValue {
    func lines(_ texts: [String]) -> JSONValue {
      .array(texts.map { (try? JSONParser.parse($0)) ?? .string($0) })
    }
    return [
      "reminder": .string(reminder), "fault": .string(fault), "events": lines(events),
      "until": .string(until.description), "lines": lines(broken), "missing": lines(missing),
    ]
  }
}
