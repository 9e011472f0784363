extension Recipient {
  /// Refuses an event that is sound in itself but not for this recipient: quiet hours whose start
  /// and end would become equal (rule P7).
  package func check(_ event: Event, planner: Planner) throws(Refusal) {
    guard case .preferences(let changes) = event.content else { return }
    let touchesQuietHours = changes.contains {
      $0.path == Symbol(BuiltInSetting.quietStart.path)
        || $0.path == Symbol(BuiltInSetting.quietEnd.path)
    }
    guard touchesQuietHours else { return }
    var folded = facts
    folded.fold(event, order: .max, memory: nil)
    let settings = Settings(schema: planner.catalog.settings, registers: folded.settings)
    if settings[.quietStart] == settings[.quietEnd] { throw Refusal.equalQuietHours }
  }
}
