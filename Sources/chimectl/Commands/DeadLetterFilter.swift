import ArgumentParser

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
}

/// What dead letters of one sort have in common.
enum DeadLetterSort: String, CaseIterable, ExpressibleByArgument {
  case reason, category, recipient, sink
}
