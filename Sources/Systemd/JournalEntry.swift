/// One entry of the journal, before it is known where it goes.
package struct JournalEntry: Sendable {
  package let message: String
  package let priority: JournalPriority
  package let fields: [(name: JournalField, value: String)]
  package let messageID: String?

  package init(
    message: String, priority: JournalPriority,
    fields: [(name: JournalField, value: String)] = [], messageID: String? = nil
  ) {
    self.message = message
    self.priority = priority
    self.fields = fields
    self.messageID = messageID
  }

  /// Every field as `NAME=value`, as sd_journal_sendv(3) takes them. Values may hold any byte,
  /// line breaks too: libsystemd frames them by length.
  package var assignments: [String] {
    var assignments = [
      "\(JournalField.message)=\(message)", "\(JournalField.priority)=\(priority.rawValue)",
    ]
    if let messageID { assignments.append("\(JournalField.messageID)=\(messageID)") }
    return assignments + fields.map { "\($0.name)=\($0.value)" }
  }

  /// The entry as one line for a reader: instant, priority, message, fields.
  ///
  /// An empty value and one with a space, a quotation mark or a control character are quoted as
  /// Swift quotes them, and control characters in the message are escaped: no text can forge
  /// another line.
  package func line(at timestamp: Timestamp) -> String {
    var line =
      "\(timestamp) \(priority): \(JournalEntry.escaped(message, where: JournalEntry.isControl))"
    for (name, value) in fields where !name.isSourceLocation {
      line += " \(name)=\(JournalEntry.quoted(value))"
    }
    return line + "\n"
  }

  private static func quoted(_ value: String) -> String {
    let text = escaped(value) { $0 == "\"" || $0 == "\\" || isControl($0) }
    let isPlain = text == value && !value.isEmpty && !value.utf8.contains(UInt8(ascii: " "))
    return isPlain ? value : "\"\(text)\""
  }

  private static func escaped(
    _ text: String, where isForbidden: (Unicode.Scalar) -> Bool
  ) -> String {
    guard text.unicodeScalars.contains(where: isForbidden) else { return text }
    return text.unicodeScalars.map { scalar in
      isForbidden(scalar) ? scalar.escaped(asASCII: true) : String(scalar)
    }.joined()
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
