import Holidays

/// A part of an iCalendar file that no event expresses, or that cannot be read.
package struct CalendarFlaw: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number of the part's first line in the file, from 1.
  package let line: Int
  /// The component or property, such as `EXDATE`; empty for a line without a readable name.
  package let part: String
  /// The fault and the remedy.
  package let reason: String

  init(_ line: Int, _ part: String, _ reason: String) {
    (self.line, self.part, self.reason) = (line, part, reason)
  }

  init(_ property: ContentLine, _ reason: String) {
    self.init(property.number, property.name, reason)
  }

  /// A text such as "line 7: EXDATE leaves out dates, which a plan cannot; …".
  package var description: String { "line \(line): \(message)" }

  /// The text without the line.
  package var message: String { part.isEmpty ? reason : "\(part) \(reason)" }
}
