import API
import ArgumentParser
import JSON

/// What dead letters have in common that are meant.
struct DeadLetterFilter: ParsableArguments {
  @Option(help: "Only those that this sink had last.", completion: Known.sinks)
  var sink: String?

  @Option(help: "Only those of this person.", completion: Known.recipients)
  var recipient: String?

  @Option(help: "Only those of this category.", completion: Known.categories)
  var category: String?

  @Option(help: "Only those with just this reason, as \"chimectl deadletters groups\" shows it.")
  var reason: String?

  /// As parameters of an address; empty if all are meant.
  var parts: [String] {
    let given = [
      ("sink", sink), ("recipient", recipient), ("category", category), ("reason", reason),
    ]
    return given.compactMap { name, value in
      value.map { "\(name)=\(ServiceClient.segment($0))" }
    }
  }

  /// What is said where there is nothing to show.
  var nothing: String {
    parts.isEmpty ? "There are no dead letters.\n" : "There are no dead letters that match.\n"
  }

  /// Refuses a sink that there is not if it has left nothing either, as one may that was taken out.
  func checkSink(
    of found: JSONValue, by document: (String) async throws(Failure) -> JSONValue
  ) async throws(Failure) {
    let items = found["deadLetters"] ?? found["groups"]
    guard let sink, items?.arrayValue?.isEmpty == true else { return }
    let status = Answer<StatusPayload>(try await document("/v1/status"))
    var known = [try status.analytics?.sink]
    for lane in try status.lanes { known.append(try lane.sink) }
    guard !known.contains(sink) else { return }
    throw Failure(.noInput, "there is no sink \"\(sink)\"; chimectl sinks lists them")
  }
}

/// What dead letters of one sort have in common.
enum DeadLetterSort: String, CaseIterable, ExpressibleByArgument {
  case reason, category, recipient, sink
}
