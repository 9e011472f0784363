package import CivilTime
package import Engine
import JSON
import Reminders
package import Store

package struct RecipientPagePayload: Payload {
  package typealias Value = RecipientPage
  package static let shape = PayloadShape(Self())

  package let recipients = Member("recipients", .list(.payload(ListedRecipientPayload.self))) {
    $0.recipients
  }
  package let next = Member("next", orNull: .text) { $0.next }
}

package struct ListedRecipientPayload: Payload {
  package typealias Value = ListedRecipient
  package static let shape = PayloadShape(Self(), as: .listedRecipient)

  package let recipient = Member("recipient", .recipient) { $0.name }
  package let pending = Member("pending", .count) { $0.pending }
  package let due = Member("due", orNull: .instant, "The next due instant") { $0.due }
  package let name = Member(
    "name", orNull: .text, "The profile's name, if a search read it; otherwise null"
  ) { $0.profileName }
}

/// A recipient's profile.
struct ProfilePayload: Payload {
  struct Value {
    let recipient: Recipient
    let context: PlanningContext
    let now: Instant
  }

  static let shape = PayloadShape(Self())

  let recipient = Member("recipient", .recipient) { $0.recipient.name }
  let created = Member("created", orNull: .instant) { $0.recipient.facts.created?.time }
  let now = Member("now", .instant) { $0.now }
  let zone = Member("zone", .text) { $0.context.zone.name }
  let zoneIsDefault = Member("zoneIsDefault", .boolean) { $0.context.isZoneDefault }
  let zoneFault = Member(
    "zoneFault", orNull: .text, "Why the tz database has no rules for the zone; null if it has some"
  ) { $0.context.zoneFault?.description }
  let local = Member("local", .localTime, "The recipient's local time") {
    $0.context.zone.shown($0.now)
  }
  let quietUntil = Member("quietUntil", orNull: .instant, "Null outside of quiet hours") {
    $0.context.settings.quietHours.windowEnd(at: $0.now, in: $0.context.zone)
  }
  let profile = Member("profile", .table(of: .text)) { profile in
    profile.recipient.facts.profile.compactMap { entry in
      entry.value.map { (key: entry.field.name, value: $0) }
    }
  }
  let devices = Member("devices", .list(.payload(DevicePayload.self)), "The registered devices") {
    $0.recipient.facts.devices.filter { $0.token != nil }
  }
  let permissions = Member("permissions", .table(of: .text)) { $0.recipient.facts.permissionNames }
  let suppressed = Member(
    "suppressed", .list(.payload(SuppressionPayload.self)),
    "The channels whose address is not used, until an app reports it again"
  ) { $0.recipient.facts.suppressions }
  let relations = Member(
    "relations", .list(.payload(RelationPayload.self)),
    "The people who get messages about the recipient, and those about whom the recipient gets them"
  ) { $0.recipient.facts.relations }
}

/// A relation to another person (rule E12).
struct RelationPayload: Payload {
  typealias Value = Relation
  static let shape = PayloadShape(Self())

  let person = Member(
    "person", orNull: .recipient, "Who gets messages about the recipient; null with of"
  ) { $0.isOutgoing ? $0.person : nil }
  let of = Member(
    "of", orNull: .recipient, "About whom the recipient gets messages; null with person"
  ) { $0.isOutgoing ? nil : $0.person }
  let role = Member("role", .text) { $0.role }
  let active = Member("active", .boolean, "Whether both have consented") { $0.isActive }
  let consented = Member("consented", .boolean, "Whether the recipient has consented") {
    $0.hasOwnConsent
  }
}

/// A suppressed channel: its address bounced, or the recipient complained (rule D10).
struct SuppressionPayload: Payload {
  struct Value {
    let channel: Channel
    let reason: Suppression
    let since: Instant
  }

  static let shape = PayloadShape(Self())

  let channel = Member("channel", .channel) { $0.channel }
  let reason = Member("reason", .word(Suppression.allCases.map(\.name))) { $0.reason.name }
  let since = Member("since", .instant) { $0.since }
}

struct DevicePayload: Payload {
  typealias Value = Device
  static let shape = PayloadShape(Self())

  let deviceId = Member("deviceId", .text) { $0.identifier }
  let platform = Member("platform", .text) { $0.platform }
  let since = Member("since", .instant) { $0.stamp.time }
}

extension Facts {
  fileprivate var permissionNames: [(key: String, value: String)] {
    Channel.allCases.map { ($0.name, permission(of: $0).name) }
  }

  fileprivate var suppressions: [SuppressionPayload.Value] {
    Channel.allCases.compactMap { channel in
      suppression(of: channel).map {
        SuppressionPayload.Value(channel: channel, reason: $0.reason, since: $0.since)
      }
    }
  }
}

struct EventPagePayload: Payload {
  struct Value {
    let events: [PastEvent]
    let next: Int64?
  }

  static let shape = PayloadShape(Self())

  let events = Member("events", .list(.payload(StoredEventPayload.self))) { $0.events }
  let next = Member("next", orNull: .text) { $0.next.map(String.init) }
}

struct StoredEventPayload: Payload {
  typealias Value = PastEvent
  static let shape = PayloadShape(Self())

  let id = Member("id", .text) { $0.identifier }
  let source = Member("source", .text) { $0.source }
  let type = Member("type", .text) { $0.type }
  let time = Member("time", .instant) { $0.time }
  let received = Member("received", .instant) { $0.received }
  let data = Member("data", orNull: .rawObject) {
    $0.data.isEmpty || Texts.areHidden ? nil : $0.data
  }
}

// MARK: - Export

/// The beginning of an export: the current state of a recipient. The recipient's other facts can be
/// computed from the events.
struct ExportHeadPayload: Payload {
  typealias Value = ProfilePayload.Value
  static let shape = PayloadShape(Self())

  let recipient = Member("recipient", .recipient) { $0.recipient.name }
  let exported = Member("exported", .instant) { $0.now }
  let created = Member("created", orNull: .instant) { $0.recipient.facts.created?.time }
  let profile = Member("profile", .object) { $0.recipient.facts.profileTexts }
  let devices = Member("devices", .list(.payload(ExportedDevicePayload.self))) {
    $0.recipient.facts.devices
  }
  let permissions = Member("permissions", .table(of: .text)) { $0.recipient.facts.permissionNames }
  let suppressed = Member("suppressed", .list(.payload(SuppressionPayload.self))) {
    $0.recipient.facts.suppressions
  }
  let relations = Member("relations", .list(.payload(RelationPayload.self))) {
    $0.recipient.facts.relations
  }
  let preferences = Member("preferences", .object(.reference(.preferences))) {
    PreferencesDocument($0.context).whole(at: $0.now)
  }
  let remembered = Member("remembered", .list(.payload(MarkPayload.self))) { head in
    head.context.catalog.events.compactMap { schema in
      head.recipient.facts.mark(Symbol(schema.type)).map {
        MarkPayload.Value(type: schema.type, mark: $0)
      }
    }
  }
}

extension Facts {
  fileprivate var profileTexts: JSONObject {
    var texts = JSONObject()
    for entry in profile {
      texts[entry.field.name] = entry.value.map { .string($0) } ?? .null
    }
    return texts
  }
}

struct ExportedDevicePayload: Payload {
  typealias Value = Device
  static let shape = PayloadShape(Self())

  let device = Members(DevicePayload.self) { $0 }
  let token = Member(
    "token", orNull: .text,
    "Null if the device was removed; the member \"since\" is then the time of removal"
  ) { $0.token }
}

/// The data about one type of event in the recipient's facts.
struct MarkPayload: Payload {
  struct Value {
    let type: String
    let mark: Mark
  }

  static let shape = PayloadShape(Self())

  let type = Member("type", .text) { $0.type }
  let first = Member("first", .instant) { $0.mark.first.time }
  let last = Member("last", .instant) { $0.mark.last.time }
  let highest = Member("highest", optional: .number) { ($0.mark.peak?.number).map { Int($0) } }
  let numbers = Member("numbers", optional: .list(.number)) {
    $0.mark.reports.isEmpty ? nil : $0.mark.reports.map { Int($0.number) }
  }
}

extension ValueKind where Written == Int, Read == Int64 {
  fileprivate static var number: Self { integer(Schema(type: "integer")) }
}

struct ExportedNotificationPayload: Payload {
  typealias Value = RecordedNotification
  static let shape = PayloadShape(Self())

  let id = Member("id", .text) { $0.identifier }
  let reminder = Member("reminder", .text) { $0.message.reminder }
  let category = Member("category", .text) { $0.message.category }
  let title = Member("title", .text) { $0.message.title }
  let body = Member("body", .text) { $0.message.body }
  let details = Member("details", optional: .rawObject) {
    $0.message.details.isEmpty ? nil : Array($0.message.details.utf8)
  }
  let digestMembers = Member("members", optional: .list(.text)) {
    $0.message.members.isEmpty ? nil : $0.message.members
  }
  let discreet = Member("discreet", optional: .text, "The text on channels seen by others") {
    $0.message.discreet?.text
  }
  let planned = Member("planned", .instant) { $0.planned }
  let at = Member("at", .instant) { $0.at }
  let expires = Member("expires", .instant) { $0.expiry }
  let channels = Member("channels", .list(.channel)) { $0.channels.channels }
  let silent = Member("silent", .boolean) { $0.isSilent }
  let outcome = Member("outcome", .text) { $0.outcome.name }
  let gates = Member("gates", .table(of: .text)) { notification in
    Gate.allCases.compactMap { gate in
      notification.trace.word(for: gate).map { (key: gate.reason, value: $0) }
    }
  }
  let missed = Member("missed", optional: .missed) { $0.trace.missed }
  let retries = Member("retries", .list(.payload(RetryPayload.self))) { $0.retries }
  let attempts = Member("attempts", .list(.payload(AttemptPayload.self))) { $0.attempts }
}

struct RetryPayload: Payload {
  typealias Value = RecordedNotification.Retry
  static let shape = PayloadShape(Self())

  let sink = Member("sink", .text) { $0.sink }
  let channel = Member("channel", .text) { $0.channel.name }
  let attempts = Member("attempts", .count) { $0.attempts }
  let due = Member("due", orNull: .instant) { $0.due }
  let reason = Member("reason", .text) { $0.reason }
}

struct RefusedSubmissionPayload: Payload {
  typealias Value = RefusedSubmission
  static let shape = PayloadShape(Self())

  let submitted = Member("submitted", .instant) { $0.at }
  let event = Member("event", .text, "The event; if too long, its beginning and \"…\"") { $0.text }
  let reason = Member("reason", .text) { $0.reason }
}

extension Schema {
  /// The schema of an export, which is written piece by piece as it is read from the store.
  static var export: Schema {
    .object(
      ExportHeadPayload.shape.properties + [
        .init("pending", .list(.of(PendingPayload.self))),
        .init("analytics", .list(.of(AnalyticsEventPayload.self))),
        .init("events", .list(.of(StoredEventPayload.self))),
        .init("notifications", .list(.of(ExportedNotificationPayload.self))),
        .optional(
          "refused",
          .list(.of(RefusedSubmissionPayload.self)).described("Submitted by SQL and rejected")),
      ])
  }
}
