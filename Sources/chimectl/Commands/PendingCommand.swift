import API
import ArgumentParser
import CivilTime
import JSON

/// Shows a recipient's pending occurrences.
struct PendingCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pending",
    abstract: "Show a recipient's pending reminders, in local time.")

  @Argument(help: "The recipient's id.", completion: Completions.recipients)
  var recipient: String

  @OptionGroup var options: TableOptions

  func run() async throws {
    try await reporting(options.layout) {
      try await options.answer.show(joinedPages, as: Self.text)
    }
  }

  static func text(_ document: JSONValue) throws(CommandError) -> String {
    try PendingReport(document).text
  }

  /// Requests all pages, and joins them into one document.
  func joinedPages(_ client: ServiceClient) async throws(CommandError) -> JSONValue {
    try await client.joined(
      PendingPagePayload.self,
      "/v1/recipients/\(ServiceClient.segment(recipient))/pending?limit=1000")
  }
}

/// Pending occurrences as a table.
struct PendingReport {
  private let recipient: String
  private let zone: String
  /// Whether the recipient's own zone is unknown.
  private let isDefaultZone: Bool
  private let now: Instant
  private let entries: [Entry]

  /// - Parameter document: the service's reply.
  init(_ document: JSONValue) throws(CommandError) {
    let page = Answer<PendingPagePayload>(document)
    recipient = try page.recipient
    zone = try page.zone
    isDefaultZone = try page.zoneIsDefault
    now = try page.now
    entries = try page.pending.map { entry throws(CommandError) in try Entry(entry) }
  }

  var text: String {
    let head = "\(recipient), \(zone)\(isDefaultZone ? " (default)" : "")".printable + "\n"
    guard !entries.isEmpty else { return head + "Nothing is pending.\n" }
    var table = Table(header: ["LOCAL TIME", "WHEN", "TITLE", "REMINDER", "NOTE"])
    for entry in entries {
      table.add([
        "\(entry.local) \(entry.abbreviation)", TimeDistance.text(to: entry.at, from: now),
        entry.title, entry.subject, entry.note(now: now),
      ])
      for member in entry.members {
        table.add(["", "", "- " + member.title, member.subject, member.note(now: now)])
      }
    }
    return head + table.text
  }
}

extension PendingReport {
  private struct Entry {
    /// The reminder, and the entities that share the date.
    let subject: String
    let title: String
    /// The local time of `at`, and the abbreviation of the zone at that time.
    let local: String
    let abbreviation: String
    /// The instant of sending; the planned instant if the entry will be dropped.
    let at: Instant
    let planned: Instant
    let plannedLocal: String
    let isDropped: Bool
    let reasons: [String]
    /// The occurrence for which capacity is reserved, and its time.
    let waitsFor: (reminder: String, at: Instant)?
    /// The members of a digest.
    let members: [Entry]

    init(_ entry: Answer<PendingPayload>) throws(CommandError) {
      let plan = entry.plan
      subject = try PreferencesCommand.subject(plan.reminder, plan.entities)
      title = try plan.title
      local = try plan.local
      abbreviation = try plan.abbreviation
      at = try plan.at
      planned = try plan.planned
      plannedLocal = try plan.plannedLocal
      isDropped = try plan.outcome == "dropped"
      reasons = try entry.gating.reasons
      waitsFor = try entry.gating.beneficiary.map { other throws(CommandError) in
        (try other.reminder, try other.at)
      }
      members = try (entry.members ?? []).map { member throws(CommandError) in try Entry(member) }
    }

    /// Returns a text such as "held by daily_cap from 22:30, for appointment in 2h".
    func note(now: Instant) -> String {
      let wait = waitsFor.map { "for \($0.reminder) \(TimeDistance.text(to: $0.at, from: now))" }
      return [verdict, wait ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
    }

    /// A text such as "held by quiet_hours from 22:30" or "dropped: quiet_hours, expired".
    private var verdict: String {
      let gates = reasons.joined(separator: ", ")
      if isDropped { return "dropped: \(gates)" }
      if reasons.isEmpty { return "" }
      // The time of day is enough for an occurrence that is held for less than a day.
      let isShortHold = at - planned < .days(1)
      let time = isShortHold ? String(plannedLocal.drop { $0 != " " }.dropFirst()) : plannedLocal
      return "held by \(gates) from \(time)"
    }
  }
}
