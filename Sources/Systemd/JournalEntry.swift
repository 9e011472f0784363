import JSON

/// A journal entry, independent of its destination.
package struct JournalEntry: Sendable {
  package let message: String
  package let priority: JournalPriority
  package let fields: [(name: JournalField, value: String)]
  /// The id of the entry's kind in the message catalog; nil if it has none.
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

  /// Every field as `NAME=value`, as sd_journal_sendv(3) expects. Values may contain any byte, even
  /// line breaks, because libsystemd frames each value by its length.
  package var assignments: [String] {
    var assignments = [
      "\(JournalField.message)=\(message)", "\(JournalField.priority)=\(priority.rawValue)",
    ]
    if let messageID { assignments.append("\(JournalField.messageID)=\(messageID)") }
    return assignments + fields.map { "\($0.name)=\($0.value)" }
  }

  /// Returns the entry as one line of text: instant, priority, message, fields.
  ///
  /// A value is quoted as in Swift if it is empty, or contains a space, a quotation mark, a
  /// backslash or a control character. Control characters in the message are escaped, so that no
  /// text can forge a second line.
  package func line(at timestamp: Timestamp) -> String {
    var line =
      "\(timestamp) \(priority): \(JournalEntry.escaped(message, where: JournalEntry.isControl))"
    for (name, value) in fields where !name.isSourceLocation {
      line += " \(name)=\(JournalEntry.quoted(value))"
    }
    return line + "\n"
  }

  /// Returns the entry as a line with one JSON object: `time`, `level`, `message`, then the fields
  /// under their names in the journal. A field with several values is an array.
  package func json(at timestamp: Timestamp) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("time", timestamp.description)
    writer.member("level", priority.level)
    writer.member("message", message)
    if let messageID { writer.member("MESSAGE_ID", messageID) }
    for (index, field) in fields.enumerated() {
      guard !fields[..<index].contains(where: { $0.name == field.name }) else { continue }
      let values = fields[index...].filter { $0.name == field.name }.map {
        JSONValue.string($0.value)
      }
      writer.key(field.name.description)
      writer.value(values.count == 1 ? values[0] : .array(values))
    }
    writer.endObject()
    writer.endLine()
    return writer.bytes
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

/// The name of a journal field: 1 to 64 characters of A to Z, 0 to 9 and `_`, beginning with a
/// letter. The journal reserves a leading `_` for its trusted fields, and drops other invalid
/// names.
package struct JournalField: Hashable, Sendable, CustomStringConvertible {
  package let description: String

  /// Creates a field with a name; nil for a name that journald would drop.
  package init?(_ name: String) {
    guard let first = name.utf8.first, JournalField.isLetter(first) else { return nil }
    guard name.utf8.count <= JournalField.byteCountMax else { return nil }
    guard name.utf8.allSatisfy(JournalField.isAllowed) else { return nil }
    description = name
  }

  /// Converts a key of a library to a field name: letters become capitals, and invalid characters
  /// become `_`. A result that is invalid or reserved for `Journal` gets the prefix `LOG_`.
  package init(key: String) {
    let allowed = key.utf8.map { byte in
      let capital = (0x61...0x7A).contains(byte) ? byte - 0x20 : byte
      return JournalField.isAllowed(capital) ? capital : UInt8(ascii: "_")
    }
    let name = String(decoding: allowed.prefix(JournalField.byteCountMax), as: UTF8.self)
    if let field = JournalField(name), !JournalField.reserved.contains(field) {
      self = field
    } else {
      description = "LOG_" + name.prefix(JournalField.byteCountMax - 4)
    }
  }

  private init(constant: StaticString) { description = "\(constant)" }

  private static let byteCountMax = 64

  private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    isLetter(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
  }
}

extension JournalField {
  package static let message = JournalField(constant: "MESSAGE")
  package static let messageID = JournalField(constant: "MESSAGE_ID")
  package static let priority = JournalField(constant: "PRIORITY")

  package static let recipient = JournalField(constant: "CHIME_RECIPIENT")
  package static let reminder = JournalField(constant: "CHIME_REMINDER")
  package static let notification = JournalField(constant: "CHIME_NOTIFICATION")
  package static let channel = JournalField(constant: "CHIME_CHANNEL")
  package static let sink = JournalField(constant: "CHIME_SINK")
  package static let verdict = JournalField(constant: "CHIME_VERDICT")
  package static let reason = JournalField(constant: "CHIME_REASON")
  /// The instant at which the state that the entry reports is to end, in RFC 3339.
  package static let until = JournalField(constant: "CHIME_UNTIL")

  /// The instant at which the state that the entry reports began, in RFC 3339.
  package static let since = JournalField(constant: "CHIME_SINCE")

  /// The actor: a system user or a token, by id and name.
  package static let actor = JournalField(constant: "CHIME_ACTOR")
  /// The action, as the operation's name in /openapi.json.
  package static let action = JournalField(constant: "CHIME_ACTION")
  /// The object of the action, if it is not only a recipient.
  package static let subject = JournalField(constant: "CHIME_SUBJECT")

  static let codeFile = JournalField(constant: "CODE_FILE")
  static let codeLine = JournalField(constant: "CODE_LINE")
  static let codeFunction = JournalField(constant: "CODE_FUNC")

  /// The fields that `Journal` writes itself, once in each entry.
  private static let reserved: Set<JournalField> = [.message, .messageID, .priority]

  /// Whether the field names a position in the source, which does not help a reader at a terminal.
  var isSourceLocation: Bool {
    self == .codeFile || self == .codeLine || self == .codeFunction
  }
}

/// The priority of an entry, on syslog's scale (RFC 5424, section 6.2.1).
package enum JournalPriority: Int32, Sendable, CaseIterable {
  case emergency, alert, critical, error, warning, notice, informational, debug

  /// The name that log collectors use: "info" for `informational`.
  var level: String { self == .informational ? "info" : "\(self)" }
}
