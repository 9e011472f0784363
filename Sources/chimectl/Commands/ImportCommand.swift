import API
import ArgumentParser
import Foundation
import Glibc
import JSON

/// Imports an iCalendar file as events of one recipient.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import the events and tasks of an iCalendar file as plans of a recipient.",
    discussion: """
      chimectl import medicines.ics --recipient u1 --as medication.planned --dry-run

      Each VEVENT and VTODO becomes an event with a plan. All are imported or none: each part that \
      a plan cannot express is listed with its line on standard error, and the exit code is 65. \
      The same file again changes nothing, and a changed component replaces its plan. An ended \
      plan stays ended. See chimed-api(7).
      """)

  @Argument(help: "The file; - is standard input.", completion: .file(extensions: ["ics"]))
  var file: String

  @Option(
    help: ArgumentHelp("The recipient whose calendar it is.", valueName: "id"),
    completion: Completions.recipients)
  var recipient: String

  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "The type of the events, with an identifier and a plan, such as medication.planned.",
      valueName: "event"), completion: Completions.events)
  var type: String

  @Option(help: ArgumentHelp("The time of whole days, such as 08:00.", valueName: "time"))
  var allDay: String?

  @Flag(help: "Ignore alarms; otherwise one at another time than its event's is refused.")
  var ignoreAlarms = false

  @Flag(help: "Only check the file, and show what would be imported.")
  var dryRun = false

  @OptionGroup var options: AnswerOptions

  func run() async throws {
    try await reporting {
      let (bytes, path) = (try Self.content(of: file), path)
      let answer = try await options.show(
        { try await $0.importCalendar(bytes, path) }, as: Self.text)
      if let code = try Self.failure(Answer<CalendarImportPayload>(answer)) {
        throw ExitCode(code.rawValue)
      }
    }
  }

  private var path: String {
    var query = [("recipient", recipient), ("as", type)]
    if let allDay { query.append(("allDay", allDay)) }
    if ignoreAlarms { query.append(("ignoreAlarms", "true")) }
    if dryRun { query.append(("dryRun", "true")) }
    return "/v1/imports/icalendar?"
      + query.map { "\($0)=\(ServiceClient.segment($1))" }.joined(separator: "&")
  }

  private static func content(of file: String) throws(CommandError) -> [UInt8] {
    let source = try LineSource(file: file)
    var bytes: [UInt8] = []
    // The service refuses a longer file.
    while bytes.count <= 1 << 20, let group = try source.next() { bytes += group.bytes }
    return bytes
  }

  /// The exit code if events were refused, all of which may be accepted later; nil if none was.
  private static func failure(
    _ answer: Answer<CalendarImportPayload>
  ) throws(CommandError) -> CommandError.Code? {
    try answer.refused > 0 ? .temporary : nil
  }

  /// Returns a line for each event, such as "line 2: accepted iron@home, from 2026-03-02T08:00",
  /// then the ignored parts and the numbers.
  static func text(_ document: JSONValue) throws(CommandError) -> String {
    let answer = Answer<CalendarImportPayload>(document)
    var text = ""
    for item in try answer.items { text += try Self.line(item).printable + "\n" }
    for part in try answer.ignored {
      text += "line \(try part.line): ignored: \(try part.message)".printable + "\n"
    }
    if try answer.dryRun { return text + "nothing was imported: this was a dry run\n" }
    return try text
      + "accepted \(answer.accepted), duplicate \(answer.duplicate), refused \(answer.refused), "
      + "unchanged \(answer.unchanged)\n"
  }

  private static func line(
    _ item: Answer<ImportedEventPayload>
  ) throws(CommandError) -> String {
    let intention = Self.intention(try item.comparison)
    let status = try item.status ?? intention
    let warning = try item.warnings?.first.map { "warning: " + $0 }
    let detail = try item.problem?.detail ?? warning
    return try "line \(item.line): \(status) \(item.uid)" + Self.plan(item.data)
      + (detail.map { ": \($0)" } ?? "")
  }

  /// Returns the words for the effect that an import would have on a component.
  private static func intention(_ comparison: String) -> String {
    switch comparison {
    case "new": "would add"
    case "changed": "would change"
    default: comparison
    }
  }

  /// Returns the text of the plan in an event's data.
  private static func plan(_ data: JSONObject) -> String {
    let plan = data.members.lazy.map(\.value).first { $0["from"] != nil }
    let texts = ["from", "zone", "rule"].compactMap { name in
      plan?[name]?.stringValue.map { ", \(name) \($0)" }
    }
    let counts = [("except", "left out"), ("also", "added")].compactMap { name, words in
      plan?[name]?.arrayValue.map { dates in
        ", \(dates.count) \(dates.count == 1 ? "date" : "dates") \(words)"
      }
    }
    return (texts + counts).joined()
  }
}

extension CommandError {
  /// Creates the error of a calendar with flaws, with a line for each.
  init(flaws answer: Answer<ProblemPayload>) {
    let lines = (try? answer.problems ?? [])?.compactMap { fault -> String? in
      guard let line = try? fault.line, let message = try? fault.message else { return nil }
      return Self.withCommands(line > 0 ? "line \(line): \(message)" : message)
    }
    self.init(.data, (["nothing was imported"] + (lines ?? [])).joined(separator: "\n"))
  }
}
