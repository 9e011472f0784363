import CivilTime
import JSON
import Reminders

/// Makes up worlds from a catalog's declarations. A world contains the events of a simulated
/// person.
struct WorldWriter {
  let declarations: Declarations
  let zones: ZoneDatabase
  var choices: SeededChoices
  /// The events of the world that is being written, in the order of their addition.
  private var acts: [Act] = []
  /// The first and the last instant of the world.
  private var start = Instant(milliseconds: 0)
  private var end = Instant(milliseconds: 0)
  /// The person's settings after the setup of the world.
  private var settings: Settings

  /// The names of the person that a world is about, and of another person.
  static let (person, other) = ("ana", "ben")

  /// The maximum length of a world in days. It is enough for a reminder that is sent years after
  /// its event.
  private static let daysMax = 4_000

  /// Zones that are far apart.
  private static let zoneNames = [
    "UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe",
    "Pacific/Auckland", "Africa/Cairo",
  ]
  /// Zones, each with a midnight of UTC in Unix seconds. Some dates are ordinary; others are two or
  /// three days before the zone's clocks change.
  private static let zoneStarts: [(zone: String, midnight: Int64)] = [
    ("UTC", 1_768_176_000), ("Asia/Kolkata", 1_779_062_400),
    ("Europe/Berlin", 1_774_483_200), ("Europe/Berlin", 1_792_713_600),
    ("America/New_York", 1_772_668_800), ("America/New_York", 1_793_318_400),
    ("Australia/Lord_Howe", 1_775_088_000), ("Australia/Lord_Howe", 1_790_812_800),
    ("Pacific/Auckland", 1_775_088_000), ("Africa/Cairo", 1_776_816_000),
  ]

  init(_ declarations: Declarations, zones: ZoneDatabase, choices: SeededChoices) {
    (self.declarations, self.zones, self.choices) = (declarations, zones, choices)
    settings = Settings(schema: declarations.catalog.settings, registers: [])
  }

  // MARK: - Worlds

  /// Returns a new world in which a reminder can occur.
  mutating func world(about target: DeclaredReminder?) -> World {
    acts = []
    let (zone, midnight) = choices.pick(Self.zoneStarts)
    start = Instant(milliseconds: midnight * 1_000) + .minutes(choices.number(below: 1_440))
    addProfile(in: zone)
    var probe: Int?
    if let target { probe = addSetup(for: target) }
    let days = min(days(for: target), Self.daysMax)
    end = start + .days(days + choices.number(below: 3))
    if let target { addStory(of: target) }
    for _ in 0..<choices.number(below: 5) { addNoise(near: target) }
    if choices.isOne(of: 2) { addPreferences() }
    return World(acts: ordered(acts), until: end, probe: probe)
  }

  /// Returns a number of days in which a reminder can occur. Repetitions may be a week apart.
  private mutating func days(for target: DeclaredReminder?) -> Int {
    guard let target else { return 3 }
    let position = declarations.position(of: target)
    return target.daysToOccur(settings) + position * choices.pick([0, 0, 1, 7])
  }

  /// Returns a world with one to three random changes.
  mutating func variant(of world: World, about target: DeclaredReminder?) -> World {
    guard let first = world.acts.first else { return world }
    (start, end) = (first.time, world.until)
    acts = world.acts
    for _ in 0...choices.number(below: 3) {
      switch choices.number(below: 4) {
      case 0: moveFact()
      case 1: addNoise(near: target)
      case 2: addPreference()
      default: removeFact()
      }
    }
    var world = world
    world.acts = ordered(acts)
    return world
  }

  private mutating func removeFact() {
    let facts = acts.indices.filter { acts[$0].role == .fact }
    if !facts.isEmpty { acts.remove(at: choices.pick(facts)) }
  }

  /// Changes the time of one fact (an event of a declared type, or a requested notification).
  private mutating func moveFact() {
    let facts = acts.indices.filter { acts[$0].role == .fact }
    guard !facts.isEmpty else { return }
    acts[choices.pick(facts)].time = time()
  }

  private func ordered(_ acts: [Act]) -> [Act] {
    acts.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element)
  }

  // MARK: - Parts

  private mutating func add(
    _ type: String, _ data: JSONObject, _ role: Act.Role, at time: Instant, thing: String? = nil,
    of recipient: String = WorldWriter.person
  ) {
    let number = (acts.map(\.number).max() ?? 0) + 1
    acts.append(
      Act(
        number: number, time: time, recipient: recipient, type: type, data: data, role: role,
        thing: thing))
  }

  /// Reports the person and, if events may name one, the other person.
  private mutating func addProfile(in zone: String) {
    var data: JSONObject = [
      "timezone": .string(zone), "email": "ana@example.org",
      "phone": "+32 2 123 45 67",
    ]
    if !choices.isOne(of: 3) { data["locale"] = .string(choices.pick(languages)) }
    if choices.isOne(of: 2) { data["name"] = "Ana" }
    add("recipient.updated", data, .profile, at: start)
    let other: JSONObject = ["timezone": .string(choices.pick(Self.zoneNames))]
    let hasOther = declarations.types.contains { type in
      declarations.schema(type)?.fields.contains { $0.kind == .recipient } ?? false
    }
    if hasOther { add("recipient.updated", other, .profile, at: start, of: Self.other) }
  }

  /// The languages of the catalog's texts.
  private var languages: [String] {
    let languages = declarations.catalog.languages(of: declarations.reminders.map(\.reminder))
    return languages.isEmpty ? ["en"] : languages.map(\.description)
  }

  /// Switches the reminder on, and another one in half of the cases.
  ///
  /// - Returns: the index of the switch of one of the two reminders, for the rule
  ///   `switches-are-exact`; nil if the switch belongs to no group of reminders.
  private mutating func addSetup(for target: DeclaredReminder) -> Int? {
    var setup = Setup(declarations.catalog)
    // Digests and limits connect reminders on purpose, so the setup switches them off.
    setup.set(BuiltInSetting.bundlingThreshold.rawValue, to: 0)
    setup.removeDefaultLimits()
    let another = choices.pick(declarations.reminders)
    if choices.isOne(of: 2) { setup.switchOn(another) }
    setup.switchOn(target)
    settings = setup.settings
    var recipients = [Self.person]
    if acts.contains(where: { $0.recipient == Self.other }) { recipients.append(Self.other) }
    for recipient in recipients {
      add("preferences.updated", setup.data.document, .setup, at: start, of: recipient)
    }
    let index = (choices.isOne(of: 2) ? target : another).reminder.groupSwitch
    let path = declarations.catalog.settings.definitions[index].path
    return path.hasPrefix("reminders.") ? index : nil
  }

  /// Returns a random instant of the world, whole minutes after its start.
  mutating func time() -> Instant {
    let minutes = max(1, Int((end - start).milliseconds / 60_000))
    return start + .minutes(choices.number(in: 1...minutes))
  }

  /// Adds a fact of a declared type.
  ///
  /// - Parameters:
  ///   - number: the number of the thing (the entity) that the event is about.
  ///   - conditions: the conditions that the event's data has to meet.
  ///   - lead: the span to the instants in the data; random if nil.
  ///   - milestone: the reported number of days; one that the catalog declares if nil.
  mutating func addFact(
    _ type: String, at time: Instant, thing number: Int = 1, conditions: [DataCondition] = [],
    lead: TimeSpan? = nil, milestone: Int64? = nil
  ) {
    guard let schema = declarations.schema(type) else { return }
    var data = FactData(schema: schema, settings: settings, time: time)
    data.conditions = conditions
    data.thing = declarations.thing(number, of: type) ?? ""
    data.lead = lead ?? .minutes(choices.number(in: 20...10_000))
    data.other = Self.other
    data.milestones =
      milestone.map { [$0] } ?? declarations.catalog.milestones(reportedBy: Symbol(type))
    var own: SeededChoices? = SeededChoices(seed: UInt64(choices.number(below: .max)))
    let thing = schema.identifierField == nil ? nil : data.thing
    add(type, data.object(&own), .fact, at: time, thing: thing)
  }
}

// MARK: - Facts

extension WorldWriter {
  /// Adds the events that make a reminder occur.
  private mutating func addStory(of target: DeclaredReminder) {
    let first = start + .minutes(choices.number(in: 5...1_200))
    addConditions(of: target, at: first - .minutes(3))
    let count = target.isAboutThings ? choices.number(in: 1...2) : 1
    for thing in 1...count {
      let time = first + .minutes((thing - 1) * choices.number(below: 1_000))
      addCause(of: target, at: time, thing: thing)
    }
    guard count > 1, choices.isOne(of: 2), !target.endings.isEmpty else { return }
    addFact(choices.pick(target.endings).type, at: self.time(), thing: 1)
  }

  /// Adds the events that the reminder's conditions require.
  private mutating func addConditions(of target: DeclaredReminder, at time: Instant) {
    guard let terms = target.reminder.terms else { return }
    let names = EventNames(declarations.catalog)
    if let type = terms.from.flatMap({ names[$0.event] }) { addFact(type, at: time) }
    if let having = terms.having, let type = names[having.event.event] {
      for number in 1...max(1, having.times) {
        addFact(type, at: time + .seconds(number), thing: number)
      }
      // A calendar needs the event shortly before each date.
      for day in 1..<8 where target.causes.isEmpty {
        addFact(type, at: time + .days(day), thing: 1 + day % 2)
      }
    }
    if let upcoming = terms.upcoming, let type = names[upcoming.event.event] {
      for day in 1...3 {
        addFact(type, at: time, thing: day, lead: .hours(choices.number(in: 2...30) + 24 * day))
      }
    }
  }

  /// Adds an event that plans the reminder for a thing. The instants in the event are sometimes too
  /// near for the reminder.
  private mutating func addCause(of target: DeclaredReminder, at time: Instant, thing: Int) {
    if case .milestone(let trigger) = target.reminder.trigger {
      guard let report = target.causes.first else { return }
      if choices.isOne(of: 2), let begin = target.causes.dropFirst().first {
        addFact(begin, at: time)
      }
      return addFact(report, at: time + .hours(1), milestone: trigger.days)
    }
    guard !target.causes.isEmpty else { return }
    let lead = target.longestSpan(settings) + .minutes(choices.number(in: 5...2_880))
    let isShort = choices.isOne(of: 4)
    addFact(
      choices.pick(target.causes), at: time, thing: thing, conditions: target.reminder.data,
      lead: isShort ? .minutes(choices.number(in: 65...2_000)) : lead)
  }

  /// Adds one event: often one that ends the reminder.
  private mutating func addNoise(near target: DeclaredReminder?) {
    if declarations.types.isEmpty || choices.isOne(of: 12) { return addRequest() }
    let endings = target?.endings.map(\.type) ?? []
    let type =
      endings.isEmpty || choices.isOne(of: 2)
      ? choices.pick(declarations.types) : choices.pick(endings)
    addFact(type, at: time(), thing: choices.number(in: 1...2))
  }

  /// Adds a notification that the app requests.
  private mutating func addRequest() {
    let categories = declarations.catalog.categories
    guard !categories.isEmpty else { return }
    let category = choices.pick(categories).name
    let data: JSONObject = [
      "category": .string(category), "title": "A message", "body": "Of the app.",
    ]
    add("notification.requested", data, .fact, at: time())
  }
}

// MARK: - Preferences

extension WorldWriter {
  private mutating func addPreferences() {
    for _ in 0...choices.number(below: 3) { addPreference() }
  }

  private mutating func addPreference() {
    switch choices.number(below: 9) {
    case 0, 1, 2: addQuietHours()
    case 3: addVacation()
    case 4: addLimits()
    case 5: addZoneChange()
    case 6: addCommand()
    default: addSetting()
    }
  }

  private mutating func addQuietHours() {
    let begin = choices.pick([20, 21, 22, 23, 0, 12])
    let finish = (begin + choices.number(in: 2...11)) % 24
    let data: JSONValue = [
      "enabled": true, "start": .string(Self.hour(begin)), "end": .string(Self.hour(finish)),
    ]
    let time = choices.isOne(of: 2) ? start : self.time()
    add("preferences.updated", ["quietHours": data], .preference, at: time)
  }

  private static func hour(_ hour: Int) -> String { (hour < 10 ? "0" : "") + "\(hour):00" }

  private mutating func addVacation() {
    let time = time()
    let until = (time + .days(choices.number(in: 1...4))).description.prefix(10)
    add("vacation.started", ["until": .string(String(until))], .preference, at: time)
  }

  /// Sets a cap a day or a minimum interval.
  private mutating func addLimits() {
    let caps: JSONValue =
      choices.isOne(of: 2)
      ? ["perDay": .integer(Int64(choices.number(in: 1...3)))] : ["minInterval": "PT2H"]
    add("preferences.updated", ["caps": caps], .preference, at: time())
  }

  /// Reports another zone of the person.
  private mutating func addZoneChange() {
    let data: JSONObject = ["timezone": .string(choices.pick(Self.zoneNames))]
    add("recipient.updated", data, .preference, at: time())
  }

  /// Cancels or snoozes the pending occurrences of a reminder.
  private mutating func addCommand() {
    guard !declarations.reminders.isEmpty else { return }
    let name = JSONValue.string(choices.pick(declarations.reminders).name)
    if choices.isOne(of: 2) {
      return add("pending.cancelled", ["reminder": name], .preference, at: time())
    }
    add("pending.snoozed", ["reminder": name, "for": "PT45M"], .preference, at: time())
  }

  /// Changes a parameter or a switch of the catalog.
  private mutating func addSetting() {
    let definitions = declarations.catalog.settings.definitions.filter {
      !$0.isLocked && ($0.path.hasPrefix("reminders.") || $0.path.hasPrefix("categories."))
    }
    guard !definitions.isEmpty else { return }
    let definition = choices.pick(definitions)
    var data = PreferenceData()
    data.set(definition, to: definition.kind.choose(&choices))
    add("preferences.updated", data.document, .preference, at: time())
  }
}
