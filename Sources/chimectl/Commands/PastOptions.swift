import ArgumentParser
import CivilTime

/// The option of commands that can answer as of a past instant.
struct PastOptions: ParsableArguments {
  @Option(
    name: .customLong("as-of"),
    help: "Answer as of a past instant, such as 2026-03-02T21:00:00Z.")
  var asOf: Instant?

  /// The parameter to append to a query that has others; empty for the present.
  var parameter: String {
    asOf.map { "&asOf=\(ServiceClient.segment($0.description))" } ?? ""
  }

  /// Names the parts of the past that are not known.
  static func text(_ unknown: [String]?) -> String {
    (unknown ?? []).map { "Not known: \($0)".printable + "\n" }.joined()
  }
}
