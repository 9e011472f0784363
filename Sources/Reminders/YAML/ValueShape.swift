/// The values that a key accepts, as far as a schema describes them. Readers check more, such as
/// whether a name is declared.
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
  case word([String])
  case list(ValueShape)
  case mapping(MappingKeys)
  case either([ValueShape])
  case anything

  /// One value, or a list of them.
  package static func oneOrMany(_ shape: ValueShape) -> ValueShape {
    .either([shape, .list(shape)])
  }

  /// A mapping of names to values.
  package static func names(_ shape: ValueShape) -> ValueShape {
    .mapping(MappingKeys([], others: shape))
  }
}
