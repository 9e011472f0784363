/// The series that a command ends or resumes (rule N10).
package struct SeriesExtent: Hashable, Sendable {
  /// The reminder; for a repetition, the reminder that it repeats.
  package var reminder: Symbol
  /// The identifiers of the entities whose series end or resume; nil for all series of the
  /// reminder.
  package var entities: [String]?
  /// For a command that resumes some entities of a reminder that was ended as a whole: the
  /// identifiers of the other entities, whose series stay ended. Nil for any other command.
  package var remaining: [String]?

  package init(reminder: Symbol) {
    self.reminder = reminder
  }
}

extension Facts {
  mutating func end(_ series: SeriesExtent, at stamp: Stamp) {
    guard let entities = series.entities else { return stop(series.reminder, at: stamp) }
    note(entities, of: series.reminder, isResumed: false, at: stamp)
  }

  mutating func resume(_ series: SeriesExtent, at stamp: Stamp) {
    if series.entities == nil || series.remaining != nil {
      set(SettingChange(path: Stop.resumption(of: series.reminder), value: 1), at: stamp)
    }
    note(series.entities ?? [], of: series.reminder, isResumed: true, at: stamp)
    // The remaining entities stay ended: their stops have the same stamp as the resumption, which
    // overrides only earlier stamps.
    note(series.remaining ?? [], of: series.reminder, isResumed: false, at: stamp)
  }

  private mutating func note(
    _ entities: [String], of reminder: Symbol, isResumed: Bool, at stamp: Stamp
  ) {
    for entity in entities {
      note(
        EntitySeriesCommand(
          reminder: reminder, identifier: entity, stamp: stamp, isResumed: isResumed))
    }
  }
}
