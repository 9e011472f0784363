import CivilTime
import Reminders

/// What a write of preferences changes (rule P5).
struct ConsequencesPayload: Payload {
  struct Value {
    let version: Int64
    let isDryRun: Bool
    let consequences: Consequences
  }

  static let shape = PayloadShape(Self(), as: .consequences)

  let version = Member("version", .count) { Int($0.version) }
  let dryRun = Member("dryRun", .boolean) { $0.isDryRun }
  let changes = Members(ChangesPayload.self) { $0.consequences }
}

struct SnoozedPayload: Payload {
  struct Value {
    let end: Instant
    let consequences: Consequences
  }

  static let shape = PayloadShape(Self(), as: .snoozed)

  let until = Member("until", .instant) { $0.end }
  let changes = Members(ChangesPayload.self) { $0.consequences }
}

struct ChangesPayload: Payload {
  typealias Value = Consequences
  static let shape = PayloadShape(Self(), as: .changes)

  let changes = Member("changes", .list(.payload(ChangePayload.self))) { consequences in
    consequences.changes.map { Zoned($0, in: consequences.zone) }
  }
  let warnings = Member("warnings", .list(.text)) { $0.warnings }
}

struct ChangePayload: Payload {
  typealias Value = Zoned<Consequences.Change>
  static let shape = PayloadShape(Self())

  let change = Member(
    "change", .word,
    "moved to another instant; dropped by a gate, or restored where a gate was to drop it; "
      + "cancelled, as it is not planned any more; or added"
  ) { $0.content.kind }
  let reminder = Member("reminder", .text) { $0.content.caption.reminder }
  let title = Member("title", .text) { $0.content.caption.title }
  let channels = Member("channels", .list(.channel)) { $0.content.channels.channels }
  let before = Member("before", orNull: .instant) { $0.content.before }
  let beforeLocal = Member("beforeLocal", orNull: .localTime) { change in
    change.content.before.map(change.local)
  }
  let after = Member("after", orNull: .instant) { $0.content.after }
  let afterLocal = Member("afterLocal", orNull: .localTime) { change in
    change.content.after.map(change.local)
  }
  let reasons = Member("reasons", .reasons) { $0.content.reasons }
}

struct PresetsPayload: Payload {
  struct Value {
    let presets: [Preset]
    let context: PlanningContext
  }

  static let shape = PayloadShape(Self(), as: .presets)

  let current = Member("current", .text) { $0.context.catalog.currentPreset($0.context.settings) }
  let presets = Member("presets", .list(.payload(PresetPayload.self))) { all in
    all.presets.map { PresetPayload.Value(preset: $0, context: all.context) }
  }
}

struct PresetPayload: Payload {
  struct Value {
    let preset: Preset
    let context: PlanningContext
  }

  static let shape = PayloadShape(Self(), as: .preset)

  let name = Member("name", .word(Preset.names + [Preset.custom])) { $0.preset.name }
  let own = Member("own", .boolean, "Whether the person saved it") {
    $0.preset.name == Preset.custom
  }
  let current = Member("current", .boolean, "Whether the switches are as it has them") {
    $0.preset.matches($0.context.settings)
  }
  let switches = Member("switches", .object, "What it switches, as preferences have it") {
    $0.preset.document(in: $0.context.catalog.settings)
  }
}
