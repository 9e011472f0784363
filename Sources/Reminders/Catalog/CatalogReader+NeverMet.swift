import CivilTime
import Yams

/// Reports conditions that can never be met, because they name the event of the trigger (rule G6).
/// Spans that recipients set are not examined.
extension CatalogReader {
  /// Reports conditions that no occurrence can meet, because they name the event that triggers the
  /// reminder after a fixed delay: `having` if the delay is too long, `unless` if it is zero.
  ///
  /// - Parameter isLatest: whether the latest report of the event triggers the reminder.
  mutating func checkConditions(
    of draft: Draft, following event: Symbol, _ delay: Delay, isLatest: Bool
  ) {
    guard case .elapsed(.fixed(let span)) = delay, let terms = draft.options.terms else { return }
    if let having = terms.having, having.event.event == event,
      isLatest || having.event.isPerEntity
    {
      check(having, of: draft, after: span)
    }
    if span == .zero, draft.members["again"] == nil, let node = draft.members["unless"],
      terms.unless.contains(where: { $0.event == event })
    {
      report(
        node,
        "\"unless\" always applies: it names the event of the reminder, which is due at the "
          + "instant of that event; remove it, or change the delay")
    }
  }

  /// Reports `having` if, at each occurrence, the latest report of its event is older than `within`
  /// allows.
  ///
  /// - Parameter span: the least span from the latest report to an occurrence.
  mutating func check(_ having: Terms.Having, of draft: Draft, after span: TimeSpan) {
    guard having.within < span, let node = draft.members["having"] else { return }
    report(
      node,
      "\"having\" can never be met: the reminder is due \(span) after the latest report, and only "
        + "a report within \(having.within) counts")
  }

  /// Reports `having` on an event of `idle` if the shortest idle time is longer than its `within`.
  mutating func checkHaving(_ draft: Draft, ofIdle trigger: IdleTrigger) {
    guard let having = draft.options.terms?.having, trigger.events.contains(having.event.event),
      case .fixed(let counts) = trigger.count, let count = counts.first
    else { return }
    check(having, of: draft, after: trigger.unit * Int(clamping: count * trigger.factor))
  }

  /// Reports `upcoming` if it names the event of the trigger and can never be met. After the
  /// instant (`past`) it never can. Before the instant it cannot if all leads (distances to the
  /// instant) are zero or longer than `within`. A lead above zero may turn out shorter: by a late
  /// report, unless late reminders are skipped, or by a repetition.
  mutating func checkUpcoming(_ draft: Draft, _ trigger: ItemTrigger) {
    guard let upcoming = draft.options.terms?.upcoming, let node = draft.members["upcoming"],
      upcoming.event.event == trigger.event, upcoming.event.isPerEntity
    else { return }
    if trigger.isPast, upcoming.field == trigger.timing.field {
      return report(node, "\"upcoming\" can never be met: the reminder is due after the instant")
    }
    guard case .spansBefore(upcoming.field, let sources) = trigger.timing,
      case .fixed(let within) = upcoming.within
    else { return }
    let leads = sources.map { if case .fixed(let span) = $0 { span } else { within } }
    guard leads.allSatisfy({ $0 == .zero || $0 > within }) else { return }
    let mayLeadBeShorter = !draft.options.skipsLate || draft.members["again"] != nil
    guard leads.allSatisfy({ $0 == .zero }) || !mayLeadBeShorter else { return }
    report(
      node,
      "\"upcoming\" can never be met: the reminder is due "
        + leads.map { "\($0)" }.joined(separator: ", ")
        + " before the instant, and \"within\" allows at most \(within)")
  }

  /// Reports `until` if the reminder begins only after the event that `until` names. That event
  /// would end the reminder before it begins.
  mutating func checkUntil(_ draft: Draft, _ until: EventCondition?, _ series: Series?) {
    guard let until, let node = draft.members["until"] else { return }
    let isForAll = !until.isPerEntity || !hasEntity(draft.members)
    func isUntil(_ event: EventCondition?) -> Bool {
      event?.event == until.event && (isForAll || event?.isPerEntity == true)
    }
    let terms = draft.options.terms
    var namesUntil = [
      "from": isUntil(terms?.from), "having": isUntil(terms?.having?.event),
      "upcoming": isUntil(terms?.upcoming?.event),
    ]
    if case .events(let events) = series?.start {
      namesUntil["since"] = events.allSatisfy { $0.event == until.event }
    }
    for name in namesUntil.keys.sorted() where namesUntil[name] == true {
      report(
        node,
        "\"until\" names the event of \"\(name)\", which would end the reminder before it begins; "
          + "name another event")
    }
  }
}
