import Reminders
import Yams

/// Where a configuration file names what, so that an error about a catalog that is not there can
/// point to the line that asks for it.
struct ConfigurationPlaces {
  private var places: [String: Diagnostic] = [:]

  /// Notes a file, a catalog or a zone that is named.
  mutating func note(_ name: String, _ node: Node, in file: String) {
    guard let mark = node.mark, places[name] == nil else { return }
    places[name] = Diagnostic(file: file, line: mark.line, column: mark.column, message: "")
  }

  mutating func note(sink name: String, _ node: Node, in file: String) {
    note(Self.key(sink: name), node, in: file)
  }

  /// What is wrong with a file as a whole, told where it is named; nil where it is not.
  func located(_ diagnostic: Diagnostic, as message: String? = nil) -> Diagnostic? {
    guard diagnostic.line == 0 else { return nil }
    return diagnosis(of: diagnostic.file, message ?? "\(diagnostic)")
  }

  func located(sink name: String, _ message: String) -> Diagnostic? {
    diagnosis(of: Self.key(sink: name), message)
  }

  private func diagnosis(of name: String, _ message: String) -> Diagnostic? {
    places[name].map {
      Diagnostic(file: $0.file, line: $0.line, column: $0.column, message: message)
    }
  }

  /// No file, catalog or zone is called that.
  private static func key(sink name: String) -> String { "sink\0" + name }
}
