import ArgumentParser
import CivilTime
import JSON

/// Says why something goes out when it does, or does not.
struct ExplainCommand: DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Say why a reminder goes out when it does, did or would, gate by gate.",
    discussion: """
      chimectl explain u1 daily-checkin-reminder
      chimectl explain u1 --category LESSON --at 2026-03-06T23:00:00Z
      chimectl explain u1 --notification 1x2y3z-17
      """)

  @Argument(help: "The recipient's id.", completion: Known.recipients)
  var recipient: String

  @Argument(
    help: "A reminder that is pending, as chimectl pending shows it.", completion: Known.reminders)
  var reminder: String?

  @Option(
    help: "Instead of what is pending: something of this category.", completion: Known.categories)
  var category: String?

  @Option(help: "When it would be said, such as 2026-03-02T21:00:00Z; now, if absent.")
  var at: Instant?

  @Option(help: "Instead of what is pending: what is past, by the id that its deliveries carry.")
  var notification: String?

  @OptionGroup var options: TableOptions

  func validate() throws {
    guard [reminder, category, notification].count(where: { $0 != nil }) == 1 else {
      throw ValidationError(
        "Give either a reminder that is pending, a --category or a --notification.")
    }
    if at != nil, category == nil { throw ValidationError("--at goes with --category.") }
  }

  static func text(_ document: JSONValue) throws(Failure) -> String {
    try ExplainReport(document).text
  }

  var path: String {
    var path = "/v1/recipients/\(ServiceClient.segment(recipient))/explain?"
    if let reminder { path += "reminder=\(ServiceClient.segment(reminder))" }
    if let category { path += "category=\(ServiceClient.segment(category))" }
    if let notification { path += "notification=\(ServiceClient.segment(notification))" }
    if let at { path += "&at=\(ServiceClient.segment(at.description))" }
    return path
  }
}

/// An explanation as text for people: every gate with what it looked at and what it said.
struct ExplainReport {
  private let explanations: [JSONValue]

  init(_ document: JSONValue) throws(Failure) {
    _ = try document.text("recipient")
    explanations = document["explanations"]?.arrayValue ?? []
  }

  var text: String {
    get throws(Failure) {
      var texts: [String] = []
      for explanation in explanations { texts.append(try Self.text(explanation)) }
      return texts.joined(separator: "\n")
    }
  }

  private static func text(_ explanation: JSONValue) throws(Failure) -> String {
    let zone = try explanation.text("zone")
    let name = try "\(explanation.text("reminder")) (\(explanation.text("category")))"
    var text = "\(name) by \(words(explanation["channels"]))".printable + "\n"
    if let title = explanation["title"]?.stringValue { text += "\"\(title)\"".printable + "\n" }
    text += "planned for \(try explanation.text("plannedLocal")) \(zone)\n"
    if let timing = explanation["timing"]?.stringValue { text += "\(timing.printable)\n" }
    if let warning = explanation["warning"]?.stringValue { text += "but \(warning.printable)\n" }
    for round in explanation["rounds"]?.arrayValue ?? [] {
      text += "at \(try round.text("local")):\n" + (try gates(round["gates"]))
    }
    if explanation["rounds"] == nil {
      text += "what the gates looked at cannot be told for certain any more; they said:\n"
      text += try gates(explanation["verdicts"])
    }
    text += try outcome(of: explanation, zone)
    return try text + deliveries(explanation["deliveries"])
  }

  private static func outcome(
    of explanation: JSONValue, _ zone: String
  ) throws(Failure) -> String {
    let outcome = try explanation.text("outcome")
    let isPast = explanation["notification"] != nil
    let told = ["sending": "let out", "failed": "let out, to nobody who took it,"]
    var text = isPast ? "so it was \(told[outcome] ?? outcome)" : "so it is \(outcome)"
    if isPast || outcome != "dropped" { text += " at \(try explanation.text("local")) \(zone)" }
    if let digest = explanation["digest"]?.stringValue { text += ", in the digest \(digest)" }
    text += "\n"
    if let later = explanation["reasonsBeforeRetry"] {
      text += "Before another attempt it was stopped by \(words(later)).\n"
    }
    if let members = explanation["members"] {
      text += "It is made of \(words(members)).".printable + "\n"
    }
    if let counterfactual = explanation["counterfactual"]?.stringValue {
      text += "It \(counterfactual).".printable + "\n"
    }
    return text
  }

  private static func words(_ list: JSONValue?) -> String {
    (list?.arrayValue ?? []).compactMap(\.stringValue).joined(separator: ", ")
  }

  private static func deliveries(_ list: JSONValue?) throws(Failure) -> String {
    var table = Table()
    for delivery in list?.arrayValue ?? [] {
      let state = try delivery.text("state").replacing("_", with: " ")
      let next = delivery["nextLocal"]?.stringValue.map { " at \($0)" } ?? ""
      let failed = delivery["failedAttempts"]?.integerValue.map { "\($0) failed" } ?? ""
      table.add([
        try delivery.text("channel") + " by " + (try delivery.text("sink")), state + next, failed,
        delivery["reason"]?.stringValue ?? "",
      ])
      for attempt in delivery["attempts"]?.arrayValue ?? [] { table.add(try cells(attempt)) }
    }
    return table.text
  }

  /// "  21:00:05 by webhook   retry   503 in 20 ms   busy".
  private static func cells(_ attempt: JSONValue) throws(Failure) -> [String] {
    let duration = attempt["milliseconds"]?.integerValue.map { "in \($0) ms" }
    let response = [attempt["status"]?.stringValue, duration].compactMap(\.self)
    let said = [
      attempt["reason"]?.stringValue, attempt["excerpt"]?.stringValue.map { "\"\($0)\"" },
    ]
    return [
      "  \(try attempt.text("local")) by \(try attempt.text("sink"))",
      try attempt.text("verdict"), response.joined(separator: " "),
      said.compactMap(\.self).joined(separator: " "),
    ]
  }

  private static func gates(_ list: JSONValue?) throws(Failure) -> String {
    var table = Table()
    for gate in list?.arrayValue ?? [] {
      let until = gate["untilLocal"]?.stringValue.map { " until \($0)" } ?? ""
      table.add([
        "  " + (try gate.text("gate")), try gate.text("verdict") + until,
        gate["input"]?.stringValue ?? "",
      ])
    }
    return table.text
  }
}
