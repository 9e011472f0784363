import JSON

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
