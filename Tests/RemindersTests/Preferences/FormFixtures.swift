import CivilTime
import Foundation
import JSON
import Reminders
import Testing

/// The catalogs for the forms of both apps: the shipped `urbannest`, and one with the settings of
/// the wellness app.
enum FormFixtures {
  static func planner(defaultZone: String = "Europe/Berlin") throws -> Planner {
    let zones = try Fixtures.zones.get()
    return Planner(
      catalog: try catalog.get(), zones: zones, defaultZone: try zones.zone(named: defaultZone))
  }

  static let catalog = Result {
    let catalog = try Catalog(reading: [
      try shipped("urbannest.yaml"), CatalogSource(file: "wellness.yaml", text: wellness),
    ])
    for (path, kind, initial) in parameters {
      catalog.settings.add(path: "reminders." + path, kind: kind, initial: initial)
    }
    return catalog
  }

  static func shipped(_ name: String) throws -> CatalogSource {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../config/catalogs/\(name)").standardized
    return CatalogSource(file: name, text: try String(contentsOf: file, encoding: .utf8))
  }

  private static let wellness = """
    catalog: wellness
    categories:
      MEALS: {title: Meals, channels: {push: true}}
      SUMMARY: {title: Summaries, channels: {push: true, email: true}}
      APPOINTMENTS: {title: Appointments, urgency: high, channels: {push: true, email: true}}
      LAB: {title: Lab results, urgency: high, channels: {push: true, email: false}}
    groups:
      meals: {enabled: true}
      breakfast: {enabled: true, time: "08:00", skipWeekends: false}
      lunch: {enabled: true, time: "12:30", skipWeekends: false}
      dinner: {enabled: true, time: "18:30", skipWeekends: false}
      snacks: {enabled: false, frequency: 2}
      weight: {enabled: true, days: [mon], time: "07:00"}
      exercise: {enabled: true, time: "17:00", restDays: [sun], adaptToSchedule: false}
      medication: {enabled: true, refillAlert: 7, critical: true}
      weekly: {enabled: true, days: [sun], time: "18:00"}
      milestones: {enabled: true, immediate: true}
      streaks: {enabled: true, threshold: 3}
      newContent: {enabled: true}
      tips:
        enabled: true
        time: "10:00"
        categories: {selection: [nutrition, movement, sleep], initial: [nutrition, sleep]}
      lessons: {enabled: true, incompleteLessons: true}
      appointments: {enabled: true, includePrep: true}
      messages: {enabled: true}
      labResults: {enabled: true, immediate: true}
      encouragement: {enabled: true, personalized: true}
      inactivity: {enabled: true, threshold: 3, escalation: false}
    presets:
      maximum: {reminders: all, categories: all}
      balanced: {reminders: defaults}
      minimal: {reminders: [medication, appointments, labResults, messages]}
      critical: {reminders: [medication]}
    reminders: {}
    """

  /// Further parameters of the wellness app, which are added to the catalog's settings directly.
  private static let parameters: [(String, SettingKind, Int64)] = [
    ("weight.persistence", .choice(["once", "repeat", "snooze"]), 0),
    ("medication.times", .times, NumberList([480, 1_200])?.code ?? 0),
    ("newContent.frequency", .choice(["immediate", "daily", "weekly"]), 0),
    ("appointments.advance", .counts(1...336), NumberList([24, 2])?.code ?? 0),
    ("messages.priority", .choice(["all", "urgent", "none"]), 0),
    ("encouragement.frequency", .choice(["daily", "weekly", "smart"]), 0),
  ]
}

/// A recipient whose preferences are read and written as in the service, where each write through a
/// form becomes events.
struct FormUser {
  var player: Player

  init(_ planner: Planner) throws {
    player = Player(planner: planner, now: try utc("2026-03-02 12:00"))
  }

  var context: PlanningContext {
    PlanningContext(facts: player.recipient.facts, planner: player.planner)
  }

  func document(_ form: PreferencesForm.Name) throws -> JSONObject {
    try PreferencesForm(form, catalog: player.planner.catalog)
      .document(of: context, now: player.now)
  }

  /// Writes a document through a form.
  ///
  /// - Returns: the changes that the document makes.
  @discardableResult
  mutating func write(
    _ document: JSONValue, as form: PreferencesForm.Name
  ) throws -> PreferencesWrite {
    let object = try #require(document.objectValue)
    let write = try PreferencesForm(form, catalog: player.planner.catalog)
      .write(object, to: context)
    try take(write.settings)
    if !write.profile.isEmpty {
      var profile = JSONObject()
      for change in write.profile {
        profile[change.field.name] = change.value.map { .string($0) } ?? .null
      }
      try player.take("recipient.updated", .object(profile))
    }
    return write
  }

  mutating func take(_ changes: [SettingChange]) throws {
    guard !changes.isEmpty else { return }
    let data = PreferencesDocument.partial(changes, in: player.planner.catalog.settings)
    try player.take("preferences.updated", .object(data))
  }

  /// Cancels every announced vacation, because writing a document cancels none.
  mutating func cancelVacations() throws {
    for vacation in player.recipient.facts.openVacations(in: context.zone) {
      try player.take("vacation.ended", ["from": .string("\(vacation.from)")])
    }
  }

  mutating func apply(preset: String) throws {
    try player.take("preset.applied", ["preset": .string(preset)])
  }
}

extension JSONObject {
  /// Returns the value at a path such as `quietHours.start`; nil if there is none.
  func value(at path: some StringProtocol) -> JSONValue? {
    path.split(separator: ".").reduce(JSONValue.object(self)) { $0?[String($1)] }
  }

  /// The members that are not objects, by their paths.
  var leaves: [String: JSONValue] {
    var leaves: [String: JSONValue] = [:]
    for member in self {
      if case .object(let object) = member.value {
        for (path, value) in object.leaves { leaves[member.key + "." + path] = value }
      } else {
        leaves[member.key] = member.value
      }
    }
    return leaves
  }

  /// Returns the paths at which two documents differ.
  func differences(to other: JSONObject) -> Set<String> {
    let (left, right) = (leaves, other.leaves)
    return Set(left.keys).union(right.keys).filter { left[$0] != right[$0] }
  }
}
