/// Something about the service that an operator ought to know of, and what to do about it.
struct Finding: Equatable {
  enum Weight: Equatable {
    /// Something does not work.
    case fault
    /// It works, and wants a look.
    case remark
  }

  let weight: Weight
  /// A few words, such as "webhook takes nothing".
  let summary: String
  /// What else is known of it, a line each.
  let details: [String]
  /// What to do.
  let advice: String
}

extension [Finding] {
  var hasFault: Bool { contains { $0.weight == .fault } }

  /// "healthy", or else what is wrong in one line.
  var headline: String {
    let summaries = map(\.summary).joined(separator: "; ")
    if hasFault { return "not healthy: \(summaries)" }
    return isEmpty ? "healthy" : "healthy, but look at this: \(summaries)"
  }

  var style: Style { hasFault ? .bad : isEmpty ? .good : .doubtful }
}
