import API
import ArgumentParser
import JSON
import NIOHTTP1
import Reminders

/// Shows what another catalog would have sent in the past days, or audits their record.
struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Show what another catalog would have sent, or audit the past days.",
    discussion: """
      chimectl replay --since 7d --catalog imanpath.yaml
      chimectl replay --since 2026-03-02T21:00:00Z --catalog imanpath.yaml --recipient u1
      The service decides the past days of recipients again from its stored events, with the \
      catalogs of that time and with the file. Nothing is sent or changed.

      chimectl replay --since 7d
      Without a file this is an audit: each recorded decision must be the one that the catalogs of \
      that time yield. Differences are faults of the service; please report them.
      """)

  @Option(help: "The first instant, or how long it is ago, such as 30d.")
  var since: String

  @Option(help: "The file with the other catalog.", completion: .file(extensions: ["yaml", "yml"]))
  var catalog: String?

  @Option(help: "The loaded catalog that the file replaces; by default the one that it declares.")
  var name: String?

  @Option(
    help: "The recipient; by default a sample of all.", completion: Completions.recipients)
  var recipient: String?

  @Option(help: "The number of recipients in the sample, from 1 to 400 (default: 100).")
  var sample: Int?

  @Option(
    name: .customLong("per-day"),
    help: "Count the recipients with more notifications on a date, from 1 to 100 (default: 5).")
  var perDay: Int?

  @OptionGroup var options: TableOptions

  /// The service's bound on the work is about this time, and other work may be ahead.
  private static let timeout = 120.0

  func validate() throws {
    guard recipient == nil || sample == nil else {
      throw ValidationError("--sample and --recipient exclude each other; leave one out.")
    }
    guard catalog != nil || name == nil && perDay == nil else {
      throw ValidationError("--name and --per-day need --catalog; add it.")
    }
  }

  func run() async throws {
    try await reporting(options.layout) {
      let request = try request
      try await options.answer.show(
        timeout: Self.timeout, { try await $0.write(.POST, "/v1/replays", request) },
        as: Self.text)
    }
  }

  private var request: JSONObject {
    get throws(CommandError) {
      var request: JSONObject = ["since": .string(since)]
      if let catalog {
        let source = try CatalogCommand.source(catalog)
        request["name"] = .string(name ?? Self.name(of: source))
        request["source"] = .string(source.text)
      }
      if let recipient { request["recipient"] = .string(recipient) }
      if let sample { request["sample"] = .integer(Int64(sample)) }
      if let perDay { request["perDay"] = .integer(Int64(perDay)) }
      return request
    }
  }

  /// Returns the name that a catalog declares. If the catalog is invalid, returns the file's name;
  /// the service then reports the mistakes.
  static func name(of source: CatalogSource) -> String {
    (try? Catalog(reading: [source]))?.catalogNames.first ?? source.file
  }

  /// Describes the differences: a line for each change of a reminder on a channel.
  static func text(_ document: JSONValue) throws(CommandError) -> String {
    guard document["lines"] != nil else { return try AuditReport.text(document) }
    let answer = Answer<ReplayPayload>(document)
    var text =
      try "Since \(answer.since): \(answer.asked) of \(answer.people) recipients, "
      + "\(answer.changed) with changes.\n"
    let lines = try answer.lines
    text += lines.isEmpty ? "Nothing was sent then, and nothing now.\n" : try table(lines).text
    text +=
      try "More than \(answer.perDay) on a date: \(answer.busy.then) recipients then, "
      + "\(answer.busy.now) now.\n"
    for part in try answer.unknown { text += "Not known: \(part)".printable + "\n" }
    return text
  }

  private static func table(
    _ lines: [Answer<ReplayLinePayload>]
  ) throws(CommandError) -> Table {
    var table = Table(
      header: ["REMINDER", "CHANNEL", "THEN", "NOW", "CHANGE", "COUNT", "RECIPIENTS"])
    for line in lines {
      let head = [
        try line.reminder, try line.channel, "\(try line.then)", "\(try line.now)",
      ]
      let changes = try line.changes
      if changes.isEmpty { table.add(head + ["none"]) }
      for change in changes {
        let reason = try change.reason.map { " by \($0)" } ?? ""
        let examples = try change.examples.joined(separator: ", ")
        table.add(
          head + [
            try change.change.rawValue + reason, "\(try change.notifications)",
            "\(try change.people): \(examples)",
          ])
      }
    }
    return table
  }
}
