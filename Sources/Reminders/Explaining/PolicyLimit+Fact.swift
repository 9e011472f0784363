import CivilTime
import JSON

/// Describes a limit of the operator as the input of a gate.
extension PolicyLimit {
  /// The key of the sentence that describes the limit.
  var kind: String {
    switch measure {
    case .perDay: "policy_cap_day"
    case .perWeek: "policy_cap_week"
    case .interval(_, let last): last == nil ? "policy_interval_unused" : "policy_interval"
    }
  }

  /// Returns the parameters of the sentence. Without `categories`, all categories count.
  func parameters(in zone: Zone) -> JSONObject {
    var parameters =
      switch measure {
      case .perDay(let number, let sent, let date): Self.parameters(number, sent, "date", date)
      case .perWeek(let number, let sent, let start): Self.parameters(number, sent, "since", start)
      case .interval(let span, let last): GateFact.intervalParameters(span, last: last, zone)
      }
    if !categories.isEmpty {
      parameters["categories"] = .array(categories.map { .string($0) })
    }
    return parameters
  }

  private static func parameters(
    _ number: Int, _ sent: Int, _ key: String, _ date: LocalDate
  ) -> JSONObject {
    ["cap": .integer(Int64(number)), "sent": .integer(Int64(sent)), key: .string("\(date)")]
  }

  /// Returns the limit in words that fit after "if not for".
  func words(in zone: Zone) -> String {
    let subject = categories.isEmpty ? "" : " for \(categories.joined(separator: ", "))"
    return switch measure {
    case .perDay(let number, let sent, let date):
      "the operator's cap of \(number) a day\(subject), \(sent) sent on \(date)"
    case .perWeek(let number, let sent, let start):
      "the operator's cap of \(number) in seven days\(subject), \(sent) sent since \(start)"
    case .interval(let span, let last):
      "the operator's interval of \(span)\(subject), "
        + (last.map { "the last at \(zone.written($0))" } ?? "none sent yet")
    }
  }
}
