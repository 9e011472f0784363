package import CivilTime

extension Recipient {
  /// Returns the firings in a simulation of the time up to an instant, in which no further event
  /// arrives (rule L2). The simulation uses the functions that fire occurrences in the service.
  ///
  /// - Complexity: linear in the pending occurrences, and in the evaluations of gates up to `end`.
  package func simulatedFirings(
    from now: Instant, through end: Instant, planner: Planner
  ) -> [Firing] {
    var copy = self
    return copy.simulate(from: now, through: end, planner: planner, verdictsMax: .max)
  }

  /// Returns the firings in a simulation of the time up to an instant. The simulation ends early
  /// after `verdictsMax` verdicts, so that other recipients do not wait (rule H6).
  ///
  /// - Parameters:
  ///   - sentMax: the number of sent occurrences after which the simulation ends.
  ///   - observer: a function that is called with the inputs of the gates, for explanations.
  package func limitedSimulatedFirings(
    from now: Instant, through end: Instant, planner: Planner, sentMax: Int = .max,
    observer: GateObserver? = nil
  ) -> [Firing] {
    var copy = self
    return copy.simulate(
      from: now, through: end, planner: planner, verdictsMax: verdictsMax, sentMax: sentMax,
      observer: observer)
  }

  /// Returns the firings of the time up to an instant, as far as `limitedSimulatedFirings`
  /// simulates it, with the instant at which the simulation ended.
  package func firingsAhead(
    from now: Instant, through end: Instant, planner: Planner
  ) -> FiringsAhead {
    var copy = self
    return copy.simulateAhead(
      from: now, through: end, planner: planner, verdictsMax: verdictsMax)
  }

  /// The maximum number of verdicts that `firstSent` simulates.
  private static let firstSentVerdictsMax = 256

  /// Returns the first firing that sends a notification in a simulation of the time up to an
  /// instant. Returns nil if none of the first `firstSentVerdictsMax` verdicts sends one.
  package func firstSent(
    from now: Instant, through end: Instant, planner: Planner
  ) -> Firing? {
    var copy = self
    let firings = copy.simulate(
      from: now, through: end, planner: planner, verdictsMax: Self.firstSentVerdictsMax)
    return firings.first(where: \.isSent)
  }

  /// The maximum number of simulated verdicts: 4,096, plus 32 for each pending entry. Two weeks
  /// with a daily cap need fewer verdicts. A thousand occurrences with a minimum interval would
  /// need half a million.
  var verdictsMax: Int {
    4_096 + 32 * (progress.inProgress.count + facts.requests.count + facts.items.count)
  }

  /// Simulates the time up to an instant. Requests that finish during the simulation stay in the
  /// facts. Their instants are before the cutoff, so they do not change the plan.
  ///
  /// - Parameters:
  ///   - verdictsMax: the maximum number of verdicts.
  ///   - sentMax: the number of occurrences, delivered on a channel, after which the simulation
  ///     ends.
  ///   - exemption: the occurrence that is decided without some of its gates.
  mutating func simulate(
    from now: Instant, through end: Instant, planner: Planner, verdictsMax: Int,
    sentMax: Int = .max, exempting exemption: GateRemoval? = nil, observer: GateObserver? = nil
  ) -> [Firing] {
    simulateAhead(
      from: now, through: end, planner: planner, verdictsMax: verdictsMax, sentMax: sentMax,
      exempting: exemption, observer: observer
    ).firings
  }

  private mutating func simulateAhead(
    from now: Instant, through end: Instant, planner: Planner, verdictsMax: Int,
    sentMax: Int = .max, exempting exemption: GateRemoval? = nil, observer: GateObserver? = nil
  ) -> FiringsAhead {
    let context = PlanningContext(facts: facts, planner: planner, exempting: exemption)
    var outlook = outlook(in: context)
    var firings: [Firing] = []
    var day: DayAhead?
    var remaining = verdictsMax
    var sent: Set<OccurrenceName> = []
    while let next = nextDue(outlook).map({ max($0, now) }), next <= end {
      guard remaining > 0, sent.count < sentMax else {
        return FiringsAhead(firings: firings, cut: max(now, next - .milliseconds(1)))
      }
      let start = firings.count
      startDue(now: next, by: &outlook, firings: &firings)
      let decisions = decideDue(
        now: next, in: outlook.context, planned: .queue(outlook.queue), &day, firings: &firings,
        observer)
      remaining -= 1 + decisions.count
      guard sentMax < .max else { continue }
      for firing in firings[start...] where firing.isOnChannel {
        sent.insert(OccurrenceName(reminder: firing.reminder, key: firing.key))
      }
    }
    return FiringsAhead(firings: firings)
  }
}

/// The firings of a simulation, which ends early at a limit.
package struct FiringsAhead: Sendable {
  package let firings: [Firing]
  /// The instant at which the simulation ended early; nil if it has reached its end.
  package let cut: Instant?

  package init(firings: [Firing], cut: Instant? = nil) {
    (self.firings, self.cut) = (firings, cut)
  }
}

extension Firing {
  /// Whether the notification is sent to the recipient. Messages to other people have no channels.
  package var isOnChannel: Bool { result == .finished(.delivered) && !channels.isEmpty }
}
