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
    let channels = (explanation["channels"]?.arrayValue ?? []).compactMap(\.stringValue)
    var text = try "\(explanation.text("reminder")) (\(explanation.text("category"))) "
    text += "by \(channels.joined(separator: ", "))\n"
    text += "planned for \(try explanation.text("plannedLocal")) \(zone)\n"
    if let timing = explanation["timing"]?.stringValue { text += "\(timing.printable)\n" }
    for round in explanation["rounds"]?.arrayValue ?? [] {
      text += "at \(try round.text("local")):\n" + (try gates(round))
    }
    let outcome = try explanation.text("outcome")
    text += "so it is \(outcome)"
    text += outcome == "dropped" ? "\n" : " at \(try explanation.text("local")) \(zone)\n"
    if let counterfactual = explanation["counterfactual"]?.stringValue {
      text += "It \(counterfactual).\n"
    }
    return text
  }

  private static func gates(_ round: JSONValue) throws(Failure) -> String {
    var table = Table()
    for gate in round["gates"]?.arrayValue ?? [] {
      let until = gate["untilLocal"]?.stringValue.map { " until \($0)" } ?? ""
      table.add([
        "  " + (try gate.text("gate")), try gate.text("verdict") + until, try gate.text("input"),
      ])
    }
    return table.text
  }
}
