/// The answer to a query about a recipient at a past instant.
package enum PastAnswer<Value> {
  case known(Value)
  case unknownRecipient
  case unknown(UnknownPast)

  /// Returns what `transform` makes of a known value, or the reason why none is known.
  func flatMap<Other>(_ transform: (Value) -> PastAnswer<Other>) -> PastAnswer<Other> {
    switch self {
    case .known(let value): transform(value)
    case .unknownRecipient: .unknownRecipient
    case .unknown(let reason): .unknown(reason)
    }
  }
}

extension PastAnswer: Sendable where Value: Sendable {}
