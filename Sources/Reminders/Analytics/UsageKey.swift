package import CivilTime

/// What is counted of the use of notifications (rule M2). The names are stored: never rename.
package enum UsageMeasure: String, CaseIterable, Sendable {
  /// An occurrence's turn had come; it is counted at its planned hour.
  case planned
  /// The gates have let it out.
  case delivered
  /// It went out as a part of a digest.
  case bundled
  /// A gate has held it for the first time.
  case held
  /// A gate has dropped it.
  case dropped
  case opened
  case dismissed
  /// The person has switched a category off on a channel.
  case switchedOff = "switched_off"
  /// The switches became those of a preset, whose name stands in the place of the category.
  case preset
}

/// An hour on a recipient's clock.
package struct LocalHour: Hashable, Sendable {
  package let date: LocalDate
  /// 0...23.
  package let hour: Int

  package init(date: LocalDate, hour: Int) {
    self.date = date
    self.hour = hour
  }

  package init(_ instant: Instant, in zone: Zone) {
    let local = zone.local(at: instant)
    self.init(date: local.date, hour: local.secondOfDay / 3_600)
  }
}

/// What a count of use is a count of. It is nobody's in particular.
package struct UsageKey: Hashable, Sendable {
  package var measure: UsageMeasure
  package var hour: LocalHour
  package var category: String
  /// Nil for presets.
  package var channel: Channel?
  /// The gate that dropped it.
  package var reason: Gate?

  package init(
    _ measure: UsageMeasure, at hour: LocalHour, category: String, channel: Channel?,
    reason: Gate? = nil
  ) {
    self.measure = measure
    self.hour = hour
    self.category = category
    self.channel = channel
    self.reason = reason
  }
}
