import API
import ArgumentParser
import JSON

/// The options that select dead letters by their properties.
struct DeadLetterFilter: ParsableArguments {
  @Option(help: "Only dead letters whose last sink was this one.", completion: Completions.sinks)
  var sink: String?

  @Option(help: "Only dead letters of this recipient.", completion: Completions.recipients)
  var recipient: String?

  @Option(help: "Only dead letters of this category.", completion: Completions.categories)
  var category: String?

  @Option(
    help: "Only dead letters with exactly this reason, as in \"chimectl deadletters groups\".")
  var reason: String?

  /// The query parameters of the filter; empty if no option is given.
  var queryParameters: [String] {
    let options = [
      ("sink", sink), ("recipient", recipient), ("category", category), ("reason", reason),
    ]
    return options.compactMap { name, value in
      value.map { "\(name)=\(ServiceClient.segment($0))" }
    }
  }

  /// The message for an empty result.
  var emptyMessage: String {
    queryParameters.isEmpty
      ? "There are no dead letters.\n" : "There are no dead letters that match.\n"
  }

  /// Rejects an unknown sink name, if a result for it is empty. A removed sink is accepted while it
  /// has dead letters.
  ///
  /// - Parameters:
  ///   - result: the dead letters or groups found with this filter.
  ///   - document: requests the document at a path.
  func checkSink(
    of result: JSONValue, by document: (String) async throws(CommandError) -> JSONValue
  ) async throws(CommandError) {
    let items = result["deadLetters"] ?? result["groups"]
    guard let sink, items?.arrayValue?.isEmpty == true else { return }
    let status = Answer<StatusPayload>(try await document("/v1/status"))
    var names = [try status.analytics?.sink, try status.outcomes?.sink]
    for lane in try status.lanes { names.append(try lane.sink) }
    guard !names.contains(sink) else { return }
    throw CommandError(.noInput, "there is no sink \"\(sink)\"; chimectl sinks lists them")
  }
}

/// The property by which dead letters are grouped.
enum DeadLetterProperty: String, CaseIterable, ExpressibleByArgument {
  case reason, category, recipient, sink
}
