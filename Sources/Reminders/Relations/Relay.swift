package import CivilTime
import JSON

/// A message to the people who have a role for the recipient, instead of a notification for the
/// recipient (rule G17). Each person gets an event with the values that the message contains, and
/// the person's own reminder follows the event.
package struct Relay: Sendable {
  /// The role of the people who get the message.
  package let role: String
  /// The type of the events that people get.
  let type: String
  /// The names of the fields that the message contains, besides the fields that each event has.
  let fields: [String]

  /// The field with the id of the recipient whom the message is about.
  static let subject = Symbol(subjectField)
  static let subjectField = "subject.id"
  /// The field with the occurrence's identifier. The identifier has a hash instead of the
  /// recipient's id.
  static let occurrenceField = "subject.occurrence"
  /// The field with the name of the recipient whom the message is about.
  static let nameField = "subject.name"
  /// The field with the occurrence's number, such as days.
  static let countField = "subject.count"
  /// The field with the instant to which the message gives the distance.
  static let instantField = "subject.instant"
  /// The field with the first instant at which the announced instant or date has passed. The zone
  /// of the recipient whom the message is about applies.
  static let passedField = "subject.passed"

  /// Returns the type of the events that withdraw the message.
  var withdrawalType: String { "\(type), withdrawn" }
}

extension PlanningContext {
  /// Returns the events that a fired occurrence sends to other people: one for each person with the
  /// role. There are none unless the gates passed the occurrence.
  ///
  /// - Parameter name: the name of the recipient.
  package func relayedEvents(of firing: Firing, from name: String) -> [Event] {
    guard !facts.relations.isEmpty, firing.result == .finished(.delivered),
      let relay = catalog.reminder(firing.reminder)?.relay, let schema = catalog.event(relay.type)
    else { return [] }
    let data = data(of: firing, for: relay, from: name)
    return facts.people(with: relay.role).compactMap { person in
      let report = try? ReportReader(schema: schema, recipient: person).report(data)
      return report.map { report in
        Event(
          relayedTo: person, type: relay.type,
          identifier: "\(Relay.occurrence(of: name, firing.key))/\(firing.round)",
          time: firing.at, report, data)
      }
    }
  }

  private func data(of firing: Firing, for relay: Relay, from name: String) -> JSONObject {
    var data: JSONObject = [
      Relay.subjectField: .string(name),
      Relay.occurrenceField: .string(Relay.occurrence(of: name, firing.key)),
    ]
    for field in relay.fields {
      let value: JSONValue? =
        switch field {
        case Relay.nameField: facts.profile(.name).map { .string($0) }
        case Relay.countField:
          firing.subject.count.map { .integer($0.number(at: firing.at, in: zone)) }
        case Relay.passedField: firing.subject.passing(in: zone).map { .string($0.description) }
        case Relay.instantField: firing.subject.instant.map { .string($0.description) }
        default: firing.subject.details?.values.first { $0.field == Symbol(field) }?.value.json
        }
      if let value { data[field] = value }
    }
    return data
  }

  /// Returns the events that withdraw messages to other people, because events have ended their
  /// occurrences.
  ///
  /// - Parameters:
  ///   - former: the context before the events.
  ///   - progress: the progress before the events.
  ///   - name: the name of the recipient.
  package func relayWithdrawals(
    since former: PlanningContext, _ progress: Progress, from name: String, now: Instant
  ) -> [Event] {
    progress.finished.flatMap { entry -> [Event] in
      guard entry.isSent, let reminder = catalog.reminder(entry.reminder),
        let relay = reminder.relay, let schema = catalog.event(relay.withdrawalType),
        former.wantedOccurrence(of: reminder, key: entry.key) != nil,
        wantedOccurrence(of: reminder, key: entry.key) == nil
      else { return [] }
      let data: JSONObject = [
        Relay.occurrenceField: .string(Relay.occurrence(of: name, entry.key))
      ]
      return former.facts.people(with: relay.role).compactMap { person in
        let report = try? ReportReader(schema: schema, recipient: person).report(data)
        return report.map {
          Event(
            relayedTo: person, type: relay.withdrawalType,
            identifier: "\(Relay.occurrence(of: name, entry.key))/\(now)", time: now, $0, data)
        }
      }
    }
  }

  /// Returns whether the recipient gets messages about the person whom an occurrence is about.
  func accepts(_ occurrence: Occurrence, as role: String) -> Bool {
    let person = occurrence.item.flatMap { facts.items[$0].details.text(Relay.subject) }
    return person.map { facts.accepts($0, as: role) } ?? false
  }
}

extension Relay {
  private static let detailsMember = "about"

  /// Returns the details of a message to another person, which name the recipient whom the message
  /// is about.
  static func details(about name: String) -> String {
    String(decoding: JSONWriter.canonical([detailsMember: .string(name)]), as: UTF8.self)
  }

  /// Returns the data that replaces the data of a stored event about an erased person; nil for
  /// other events.
  package static func erasedData(of event: StoredEvent, about name: String) -> [UInt8]? {
    guard let data = try? JSONParser().parse(event.data),
      data[subjectField]?.stringValue.map(ExactText.init) == ExactText(name)
    else { return nil }
    return JSONWriter.canonical([subjectField: "-", occurrenceField: "-"])
  }

  /// Returns the identifier of an occurrence in events for other people. The identifier has a hash
  /// of the name, so that it does not name the recipient after an erasure.
  fileprivate static func occurrence(of name: String, _ key: Int64) -> String {
    "\(String(mixed(stableHash(name)), radix: 16))/\(key)"
  }
}

extension Event {
  /// Creates the event that brings a message to a person. Its source names the person, because
  /// several people may get the same message.
  fileprivate init(
    relayedTo person: String, type: String, identifier: String, time: Instant, _ report: Report,
    _ data: JSONObject
  ) {
    self.init(
      identifier: identifier, source: "\(Self.ownSource): \(type), \(person)", type: type,
      recipient: person, time: time, isTimeGiven: true, content: .report(report),
      data: JSONWriter.canonical(.object(data)))
  }
}

extension Catalog {
  /// Returns whether an event may end an occurrence about which other people got a message.
  package func mayEndRelay(_ event: Event) -> Bool {
    guard hasRelays else { return false }
    return switch event.content {
    case .happening, .report: relayEndings.contains(event.symbol)
    case .preferences, .cancellation: true
    default: false
    }
  }
}
