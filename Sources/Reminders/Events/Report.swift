package import CivilTime

/// What an event says of the thing that it is about.
package struct Report: Hashable, Sendable {
  /// What it is about; nil for an event that stands for itself.
  package var identifier: String?
  package var details: [Detail]
  /// The number that is remembered as such, and how.
  package var number: Int64?
  package var memory: EventSchema.Memory?
  /// How many of the latest of its type are remembered each by itself.
  package var kept: Int

  package init(
    identifier: String? = nil, details: [Detail] = [], number: Int64? = nil,
    memory: EventSchema.Memory? = nil, kept: Int = 0
  ) {
    self.identifier = identifier
    self.details = details
    self.number = number
    self.memory = memory
    self.kept = kept
  }
}

/// A field of an event with its value.
package struct Detail: Hashable, Sendable {
  package let field: Symbol
  package let value: Value

  package init(field: Symbol, value: Value) {
    self.field = field
    self.value = value
  }

  package enum Value: Hashable, Sendable {
    case text(String)
    case instant(Instant)
    case number(Int64)
    /// A number that is not whole.
    case decimal(Double)
    case flag(Bool)
    case person(Person)
    case place(Place)
    case tally(Tally)
  }
}
