extension Catalog {
  /// How much a delivery presses: as its reminder says, or else its category; as usual if the
  /// catalog knows neither any more.
  package func urgency(of delivery: Delivery) -> Urgency {
    if let urgency = reminder(Symbol(delivery.reminder))?.urgency { return urgency }
    return categories.first { $0.name == delivery.category }?.urgency ?? .normal
  }
}
