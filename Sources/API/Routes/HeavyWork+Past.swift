import Engine

extension HeavyWork {
  /// Returns the answer to a query about a recipient at the instant of the parameter `asOf`.
  ///
  /// - Throws: the reason why the past is not known.
  func past<Query: EngineQuery, Value>(
    _ query: Query, of recipient: String, _ call: Call
  ) async throws(Problem) -> Value where Query.Value == PastAnswer<Value> {
    let answer = try await run(for: call) {
      service throws(ServiceUnavailable) -> PastAnswer<Value> in
      try await service.answer(query)
    }
    switch answer {
    case .known(let value): return value
    case .unknownRecipient: throw Problem.unknown(recipient: recipient)
    case .unknown(let reason):
      throw Problem(.invalidParameter, "asOf \(reason)", path: "asOf")
    }
  }
}

extension ReplayedRecipient {
  /// The parts of the past that are not known, so that they are not guessed.
  var unknownParts: [String] {
    var parts = missingZones.map { "the time zone rules of \($0)" }
    if let progressStart { parts.append("the decisions before \(progressStart)") }
    if hasUnknownCatalogs { parts.append("the catalogs of the first events") }
    if lostEventCount > 0 { parts.append("\(lostEventCount) events") }
    return parts
  }
}
