/// Takes the query of an address apart.
enum Query {
  /// - Parameter known: the parameters that there may be; any other is refused by its name.
  static func parameters(
    in query: String?, known: [String]
  ) throws(Problem) -> [String: String] {
    var parameters: [String: String] = [:]
    for part in (query ?? "").split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = try decoded(pair[0])
      guard known.contains(name) else { throw unknown(name, known) }
      let value = try decoded(pair.count > 1 ? pair[1] : "")
      guard parameters.updateValue(value, forKey: name) == nil else {
        throw Problem(.invalidParameter, "the parameter \"\(name)\" is given twice", path: name)
      }
    }
    return parameters
  }

  private static func decoded(_ text: Substring) throws(Problem) -> String {
    if let decoded = PercentEncoding.decoded(text) { return decoded }
    throw Problem(
      .invalidParameter, "\"\(String(text).shortened)\" in the query is not percent-encoded UTF-8")
  }

  private static func unknown(_ name: String, _ known: [String]) -> Problem {
    let list = known.map { "\"\($0)\"" }.joined(separator: ", ")
    let rest = known.isEmpty ? "none is known here" : "known here are \(list)"
    return Problem(
      .invalidParameter, "the parameter \"\(name.shortened)\" is not known; \(rest)", path: name)
  }
}
