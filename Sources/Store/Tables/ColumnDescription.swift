/// A column of a table, described for all stores.
package struct ColumnDescription: Sendable {
  /// The kind of a column's values. SQLite stores integers of all sizes in the same way.
  package enum Kind: Sendable {
    /// Integers of 64, 32 and 16 bits.
    case integer, mediumInteger, smallInteger
    /// A Boolean.
    case flag
    case text
    /// A unique text that is compared by its bytes.
    case name
    case bytes
  }

  package let name: String
  package let kind: Kind
  /// Whether the column may have no value.
  package let isOptional: Bool
  /// The comment in the schema, in one line; nil if the name is enough.
  package let comment: String?

  /// The comment as a line of SQL; empty if there is none.
  package var commentLine: String { comment.map { "  -- \($0)\n" } ?? "" }

  private init(_ name: String, _ kind: Kind, _ comment: String?, isOptional: Bool = false) {
    self.name = name
    self.kind = kind
    self.isOptional = isOptional
    self.comment = comment
  }

  package static func integer(_ name: String, _ comment: String? = nil) -> Self {
    Self(name, .integer, comment)
  }

  package static func optionalInteger(_ name: String, _ comment: String? = nil) -> Self {
    Self(name, .integer, comment, isOptional: true)
  }

  package static func mediumInteger(_ name: String, _ comment: String? = nil) -> Self {
    Self(name, .mediumInteger, comment)
  }

  package static func smallInteger(_ name: String, _ comment: String? = nil) -> Self {
    Self(name, .smallInteger, comment)
  }

  package static func flag(_ name: String) -> Self { Self(name, .flag, nil) }

  package static func text(_ name: String, _ comment: String? = nil) -> Self {
    Self(name, .text, comment)
  }

  package static func optionalText(_ name: String) -> Self {
    Self(name, .text, nil, isOptional: true)
  }

  package static func name(_ name: String) -> Self { Self(name, .name, nil) }

  package static func bytes(_ name: String) -> Self { Self(name, .bytes, nil) }
}
