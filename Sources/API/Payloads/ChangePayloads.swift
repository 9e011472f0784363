package import CivilTime
package import JSON
package import Reminders

/// The effects of a write of preferences (rule P5).
package struct ConsequencesPayload: Payload {
  package struct Value {
    /// The version of the preferences after the write; the current version for a dry run.
    let version: Int64
    let isDryRun: Bool
    let consequences: Consequences
  }

  package static let shape = PayloadShape(Self(), as: .consequences)

  package let version = Member("version", .count) { Int($0.version) }
  package let dryRun = Member("dryRun", .boolean) { $0.isDryRun }
  package let changes = Members(ChangesPayload.self) { $0.consequences }
}

package struct SnoozedPayload: Payload {
  package struct Value {
    /// The new planned instant.
    let end: Instant
    let consequences: Consequences
  }

  package static let shape = PayloadShape(Self(), as: .snoozed)

  package let until = Member("until", .instant) { $0.end }
  package let changes = Members(ChangesPayload.self) { $0.consequences }
}

package struct ChangesPayload: Payload {
  package typealias Value = Consequences
  package static let shape = PayloadShape(Self(), as: .changes)

  package let changes = Member("changes", .list(.payload(ChangePayload.self))) { consequences in
    consequences.changes.map { Zoned($0, in: consequences.zone) }
  }
  package let warnings = Member("warnings", .list(.text)) { $0.warnings }
}

package struct ChangePayload: Payload {
  package typealias Value = Zoned<Consequences.Change>
  package static let shape = PayloadShape(Self())

  package let change = Member(
    "change", .word,
    "moved: sent at another instant; dropped: by a gate; restored: before the change, a gate would "
      + "have dropped it; cancelled: no longer planned; added: newly planned. With entities, a "
      + "date is cancelled or added for these, and may remain for others"
  ) { $0.content.kind }
  package let reminder = Member("reminder", .text) { $0.content.message.reminder }
  package let title = Member("title", .text) { $0.content.message.title }
  package let channels = Member("channels", .list(.channel)) { $0.content.channels.channels }
  package let entities = Member("entities", optional: .entities) { $0.content.entities.orNil }
  package let before = Member("before", orNull: .instant) { $0.content.before }
  package let beforeLocal = Member("beforeLocal", orNull: .localTime) { change in
    change.content.before.map(change.local)
  }
  package let after = Member("after", orNull: .instant) { $0.content.after }
  package let afterLocal = Member("afterLocal", orNull: .localTime) { change in
    change.content.after.map(change.local)
  }
  package let reasons = Member("reasons", .reasons) { $0.content.reasons }
}

package struct PresetsPayload: Payload {
  package struct Value {
    let presets: [Preset]
    let context: PlanningContext
  }

  package static let shape = PayloadShape(Self(), as: .presets)

  package let current = Member("current", .text) {
    $0.context.catalog.currentPreset($0.context.settings)
  }
  package let presets = Member("presets", .list(.payload(PresetPayload.self))) { value in
    value.presets.map { PresetPayload.Value(preset: $0, context: value.context) }
  }
}

package struct PresetPayload: Payload {
  package struct Value {
    let preset: Preset
    let context: PlanningContext
  }

  package static let shape = PayloadShape(Self(), as: .preset)

  package let name = Member("name", .word(Preset.names + [Preset.custom])) { $0.preset.name }
  package let own = Member("own", .boolean, "Whether the recipient saved the preset") {
    $0.preset.name == Preset.custom
  }
  package let current = Member("current", .boolean, "Whether the switches match the preset") {
    $0.preset.matches($0.context.settings)
  }
  package let switches = Member("switches", .object, "The preset's switches, as in preferences") {
    $0.preset.document(in: $0.context.catalog.settings)
  }
}
