import CivilTime

/// What is known to come of the days of a person, of each once somebody had to know.
struct DaysAhead {
  private var days: [LocalDate: DayAhead] = [:]
  /// Who asked last.
  private var urgency: Urgency?
  /// How many steps are looked ahead at most, for all who wait: each of a thousand that expire soon
  /// might find a thousand more urgent ones in its way (rule H6).
  private var effort: Int

  init(waiting count: Int) { effort = 4_096 + 64 * count }

  /// Whether another step may be looked ahead. What is not foreseen is decided as it comes.
  mutating func goesOn() -> Bool {
    Work.countByTime()
    effort -= 1
    return effort >= 0
  }

  /// - Parameter urgency: that of who asks, where all that is more urgent has been decided just
  ///   before: what of it is held now makes the days other ones.
  mutating func day(_ date: LocalDate, for urgency: Urgency?, _ make: () -> DayAhead) -> DayAhead {
    if urgency != self.urgency { (days, self.urgency) = ([:], urgency) }
    if let day = days[date] { return day }
    let day = make()
    days[date] = day
    return day
  }
}

/// Whether what is held finds a slot before it expires (rules V2, V5).
extension Recipient {
  func fate(of input: GateInput, _ turn: inout Turn) -> Decision {
    fate(
      of: input, from: turn.now, beside: turn.held, planned: turn.planned, asker: input.urgency,
      &turn.later, in: turn.context)
  }

  /// What the gates come to if nothing else is reported. Where others have their slots kept later,
  /// it is asked there as well.
  ///
  /// - Parameters:
  ///   - held: what is going to be under way.
  ///   - planned: where what is planned is found.
  ///   - asker: see `DaysAhead.day`.
  ///   - days: what has been worked out of the days before.
  func fate(
    of input: GateInput, from now: Instant, beside held: [Progress.UnderWay] = [],
    planned: PlannedSource = .reminders, asker: Urgency? = nil, _ days: inout DaysAhead,
    in context: PlanningContext
  ) -> Decision {
    var decision = Gates.decide(input.alone, from: now)
    guard input.isCounted, context.settings.hasSlots else { return decision }
    while decision.outcome == .delivered, days.goesOn() {
      var slot = input
      if decision.at > now, decision.isByItself(input, until: now + Self.horizon) {
        let date = context.zone.date(at: decision.at)
        let day = days.day(date, for: asker) {
          dayAhead(on: date, from: now, held: held, planned: planned, in: context)
        }
        slot.kept = day.kept(from: input.urgency, at: decision.at, isToCome: true)
      }
      guard let next = Self.next(slot, after: decision) else { break }
      decision = next
    }
    return decision
  }

  /// What follows where interval or cap say no; nil where they do not.
  private static func next(_ input: GateInput, after decision: Decision) -> Decision? {
    var trace = decision.trace
    var until: Instant?
    for gate in Gate.slots {
      let finding = Gates.finding(gate, input, at: decision.at)
      trace.note(gate, finding)
      switch finding {
      case .passes, .silences: break
      case .holds(let end): until = max(until ?? end, end)
      case .drops: return Decision(outcome: .dropped, at: decision.at, trace: trace)
      }
    }
    guard let until else { return nil }
    var next = Gates.decide(input.alone, from: until)
    next.trace.add(trace)
    return next
  }
}

extension Decision {
  /// Whether it will have to find a slot of its own, and may be lost for want of it. What a window
  /// or the day's cap has held is released with others and may go in a digest's turn, but for a
  /// category that drops at the cap.
  ///
  /// - Parameter horizon: what expires later than can be foreseen is not lost yet.
  fileprivate func isByItself(_ input: GateInput, until horizon: Instant) -> Bool {
    guard input.urgency < .high, at < horizon else { return false }
    guard input.capAction == .hold else { return true }
    let holds = Gate.allCases.filter(trace.hasHeld)
    return input.expiry < horizon && holds.allSatisfy { $0 == .minimumInterval }
  }
}
