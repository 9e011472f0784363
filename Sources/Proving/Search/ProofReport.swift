package import JSON

/// The result of checking a catalog against rules.
package struct ProofReport: Sendable {
  package enum Verdict: Sendable {
    /// A file of rules has switched the rule off.
    case off
    /// The declarations alone show that the rule holds, for this reason.
    case proved(String)
    /// The search found no world that breaks the rule.
    case searched
    case broken([Counterexample])
  }

  package struct Result: Sendable {
    package let rule: ProofRule
    package let verdict: Verdict
  }

  /// The names of the catalogs.
  package let catalogs: [String]
  package let results: [Result]
  /// The number of worlds that the search has played.
  package let worldCount: Int
  /// The lengths of the worlds in days.
  package let days: ClosedRange<Int>
  package let seed: UInt64
  /// The number of different decisions that the worlds contained.
  package let decisionCount: Int
  /// The reminders with a message that no world has sent. It is empty after a long search, which
  /// reports them as findings.
  package let unsent: [String]

  package var counterexamples: [Counterexample] {
    results.flatMap { result -> [Counterexample] in
      guard case .broken(let found) = result.verdict else { return [] }
      return found
    }
  }

  /// The extent of the search, as a sentence. A search is never called a proof.
  package var extent: String {
    "searched \(worldCount) worlds of \(days.lowerBound) to \(days.upperBound) days, seed \(seed)"
      + (unsent.isEmpty ? "" : "; too few to send \(unsent.joined(separator: ", "))")
  }

  /// The report as lines of text.
  ///
  /// - Parameter catalogs: the arguments by which `chimed simulate` finds the catalogs.
  package func text(catalogs arguments: [String]) -> String {
    let lines = results.flatMap { $0.lines(catalogs: arguments) }
    let names = catalogs.joined(separator: ", ")
    return (["\(names): \(extent)"] + lines).map { "\($0)\n" }.joined()
  }

  package var document: JSONValue {
    [
      "catalogs": .array(catalogs.map { .string($0) }),
      "rules": .array(results.map(\.document)),
      "worlds": .integer(Int64(worldCount)),
      "days": .array([.integer(Int64(days.lowerBound)), .integer(Int64(days.upperBound))]),
      "seed": .string("\(seed)"),
      "decisions": .integer(Int64(decisionCount)),
      "unsent": .array(unsent.map { .string($0) }),
    ]
  }
}

extension ProofReport.Result {
  fileprivate func lines(catalogs: [String]) -> [String] {
    let rule = "\(rule.rawValue): \(rule.statement)"
    switch verdict {
    case .off: return ["off       \(rule)"]
    case .proved(let reason): return ["proved    \(rule); \(reason)"]
    case .searched: return ["searched  \(rule); no counterexample"]
    case .broken(let counterexamples):
      let texts = counterexamples.flatMap { $0.lines(catalogs: catalogs) }
      return ["broken    \(rule)"] + texts.map { "    \($0)" }
    }
  }

  fileprivate var document: JSONValue {
    let (word, reason, counterexamples): (String, String?, [Counterexample]) =
      switch verdict {
      case .off: ("off", nil, [])
      case .proved(let reason): ("proved", reason, [])
      case .searched: ("searched", nil, [])
      case .broken(let counterexamples): ("broken", nil, counterexamples)
      }
    var object: JSONObject = [
      "rule": .string(rule.rawValue), "statement": .string(rule.statement),
      "verdict": .string(word),
    ]
    if let reason { object["reason"] = .string(reason) }
    object["counterexamples"] = .array(counterexamples.map(\.document))
    return .object(object)
  }
}
