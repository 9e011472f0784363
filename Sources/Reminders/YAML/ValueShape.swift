/// The values that a key accepts, as far as a schema can describe them. Readers also check other
/// conditions, such as whether a name is declared.
package indirect enum ValueShape: Sendable {
  /// Any text. YAML reads some texts without quotation marks as numbers, which count as texts.
  case text
  /// True or false.
  case toggle
  case number
  case wholeNumber
  /// A duration, such as 12h.
  case span
  /// A time of day, such as "21:00".
  case time
  /// `$` and the name of a group's parameter.
  case reference
  /// One of these words.
  case word([String])
  /// A list of values of one shape.
  case list(ValueShape)
  case mapping(MappingKeys)
  /// A value of one of these shapes.
  case either([ValueShape])
  case anything

  /// Returns the shape of one value, or a list of such values.
  package static func oneOrMany(_ shape: ValueShape) -> ValueShape {
    .either([shape, .list(shape)])
  }

  /// Returns the shape of a mapping from names to values.
  package static func names(_ shape: ValueShape) -> ValueShape {
    .mapping(MappingKeys([], others: shape))
  }
}
