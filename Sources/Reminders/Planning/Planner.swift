package import CivilTime
package import Holidays

/// What planning needs beside a recipient's facts: the catalog, the zones, the default zone. A
/// class because every recipient's context refers to it.
package final class Planner: Sendable {
  package let catalog: Catalog
  package let zones: ZoneDatabase
  /// Whose clock a recipient without a zone follows (rule T4).
  package let defaultZone: Zone
  /// The public holidays of the regions that are known; nil if none are.
  package let holidays: HolidayDatabase?
  /// What the sinks of a channel have to know of a person (rule D2); nothing, for most.
  package let requirements: [Channel: Requirement]
  /// The channels that no sink carries, so that they reach nobody.
  package let unrouted: ChannelSet
  /// What holds for everyone who has changed no setting.
  let initialSettings: Settings
  let initialChannels: [ChannelSet]
  /// What its reminders say to everyone alike, by reminder and message.
  private let fixedMessages: [[Message?]]

  package init(
    catalog: Catalog, zones: ZoneDatabase, defaultZone: Zone,
    holidays: HolidayDatabase? = nil, requirements: [Channel: Requirement] = [:],
    unrouted: ChannelSet = []
  ) {
    self.catalog = catalog
    self.zones = zones
    self.defaultZone = defaultZone
    self.holidays = holidays
    self.requirements = requirements
    self.unrouted = unrouted
    initialSettings = Settings(schema: catalog.settings, registers: [])
    initialChannels = PlanningContext.categoryChannels(of: catalog, initialSettings)
    fixedMessages = catalog.fixedMessages
  }

  /// What a reminder says with a message; nil where that depends on what it is about.
  func fixedMessage(of reminder: Symbol, template: Int) -> Message? {
    catalog.reminderIndices[reminder].flatMap { fixedMessages[$0][template] }
  }

  /// The same with other zones.
  package func renewed(zones: ZoneDatabase, defaultZone: Zone) -> Planner {
    Planner(
      catalog: catalog, zones: zones, defaultZone: defaultZone, holidays: holidays,
      requirements: requirements, unrouted: unrouted)
  }

  /// The same with other catalogs.
  package func renewed(catalog: Catalog) -> Planner {
    Planner(
      catalog: catalog, zones: zones, defaultZone: defaultZone, holidays: holidays,
      requirements: requirements, unrouted: unrouted)
  }

  /// The zone of a recipient: the default zone if they have none, or if their zone has neither
  /// rules nor last known rules; see ``zoneFault(of:)`` (rule T4).
  package func zone(of facts: Facts) -> Zone {
    facts.zoneName.flatMap { try? zones.zone(named: $0) } ?? defaultZone
  }

  /// Why a recipient's zone, or the default zone of one who has none, has no rules of the current
  /// tz database; nil if it has.
  package func zoneFault(of facts: Facts) -> ZoneFault? {
    zones.fault(of: facts.zoneName ?? defaultZone.name)
  }

  /// Whether a recipient follows the default zone, be it for want of rules for their own.
  package func isZoneDefault(of facts: Facts) -> Bool {
    guard facts.zoneName != nil else { return true }
    return zoneFault(of: facts).map { !$0.hasLastKnownRules } ?? false
  }
}

/// What a sink has to know of a person to reach them (rule D2).
package enum Requirement: String, CaseIterable, Sendable {
  case device, email, phone
}

#if DEBUG
  import Synchronization

  /// Counts what is looked at, for the tests that prove how cost grows (rule H6).
  package final class WorkMeter: Sendable {
    private let steps = Atomic(0)
    private let stepsByTime = Atomic(0)

    package init() {}

    package var total: Int { steps.load(ordering: .relaxed) + byTime }

    /// How much of it goes by the time that passes, and not by how much there is of anything: the
    /// instants of a series, and those that are looked ahead for a slot.
    package var byTime: Int { stepsByTime.load(ordering: .relaxed) }

    func add(_ count: Int) { steps.add(count, ordering: .relaxed) }

    func addByTime() { stepsByTime.add(1, ordering: .relaxed) }
  }
#endif

/// The work that grows with a person's amount of data, counted in debug builds alone: a release
/// build has none of it.
package enum Work {
  #if DEBUG
    @TaskLocal package static var meter: WorkMeter?
  #endif

  /// Notes that so many things were looked at, or one was looked up in what is sorted or hashed.
  @inline(__always)
  static func count(_ steps: @autoclosure () -> Int = 1) {
    #if DEBUG
      meter?.add(steps())
    #endif
  }

  /// Notes an instant that was looked at, of which a longer time has more.
  @inline(__always)
  static func countByTime() {
    #if DEBUG
      meter?.addByTime()
    #endif
  }
}

extension Planner {
  /// A database without its legacy names lacks a hundred at once: the first are enough.
  private static let faultsMax = 8

  /// The data of planning that is old, or comes to its end within a year, in sentences.
  ///
  /// - Parameter regions: those whose holidays somebody goes by; nil for all that are known, and
  ///   for every zone of the tz database that is lost.
  package func dataWarnings(at now: Instant, regions: Set<String>? = nil) -> [String] {
    let ends = holidays?.endWarnings(at: defaultZone.date(at: now), of: regions) ?? []
    let faults = regions == nil ? zones.faults.prefix(Self.faultsMax).map(\.description) : []
    return faults + [zones.ageWarning(at: now)].compactMap { $0 } + ends
  }
}

extension PlanningContext {
  /// Why the person's zone has no rules of the current tz database; nil if it has.
  package var zoneFault: ZoneFault? { planner.zoneFault(of: facts) }

  /// Whether the person follows the default zone, be it for want of rules for their own.
  package var isZoneDefault: Bool { planner.isZoneDefault(of: facts) }

  /// What is wrong with the data that a plan for an instant depends on, in sentences; nil if
  /// nothing is.
  func dataWarning(at instant: Instant) -> String? {
    let warnings = [zoneFault?.description, holidayWarning(at: instant)].compactMap { $0 }
    return warnings.isEmpty ? nil : warnings.joined(separator: "; ")
  }

  /// The sentence about holidays, where the person lives, that end within a year after an instant.
  private func holidayWarning(at instant: Instant) -> String? {
    guard let region = facts.profile(.holidays),
      let calendar = try? planner.holidays?.calendar(of: region)
    else { return nil }
    return calendar.endWarning(at: zone.date(at: instant))
  }
}
