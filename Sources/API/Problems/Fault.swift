package import Reminders

/// A fault of a catalog, a configuration file or a calendar, with its position.
package struct Fault: Hashable, Sendable {
  /// The name of the catalog or the path of the file; empty if the fault is in neither.
  package let file: String
  /// Whether the fault is in the text that the request contains.
  package let isInRequest: Bool
  /// The line and the column, from 1; 0 if the fault has no position.
  package let line: Int
  package let column: Int
  package let message: String

  /// - Parameter name: replaces the path of the file, which stays private; nil if the path may be
  ///   shown.
  package init(_ diagnostic: Diagnostic, isInRequest: Bool = false, named name: String? = nil) {
    (file, self.isInRequest) = (name ?? diagnostic.file, isInRequest)
    (line, column, message) = (diagnostic.line, diagnostic.column, diagnostic.message)
  }

  /// Creates a fault of the calendar that the request contains.
  init(_ flaw: CalendarFlaw) {
    self.init(message: flaw.message, line: flaw.line)
  }

  /// Creates a fault of the request's text.
  init(message: String, line: Int = 0) {
    (file, isInRequest, column) = ("", true, 0)
    (self.line, self.message) = (line, message)
  }
}

/// A fault in JSON, in the same form for all checks and refusals.
package struct FaultPayload: Payload {
  package typealias Value = Fault
  package static let shape = PayloadShape(Self(), as: .fault)

  package let file = Member("file", orNull: .text, "The catalog's name or the file's path") {
    $0.file.isEmpty ? nil : $0.file
  }
  package let here = Member("here", .boolean, "Whether the fault is in the text of the request") {
    $0.isInRequest
  }
  package let line = Member("line", .count, "The line, from 1; 0 without a position") { $0.line }
  package let column = Member("column", .count, "The column, from 1; 0 without a position") {
    $0.column
  }
  package let message = Member("message", .text) { $0.message }
}
