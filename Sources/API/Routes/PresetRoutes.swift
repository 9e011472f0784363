import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// The presets of the switches: those that the catalogs declare, and the one that the person has
/// saved as `custom` (rule P4). None touches times, zone or addresses.
struct PresetRoutes: Sendable {
  let preferences: PreferencesRoutes

  private static let list = "/v1/recipients/{recipient}/preferences/presets"
  private static let one = list + "/{preset}"

  var routes: [Route] {
    [
      Route(.get, Self.list, .presets, answer: .recipient(showAll)),
      Route(.get, Self.one, .preset, answer: .recipient(show)),
      Route(.put, Self.one, .savePreset, answer: .recipient(save)),
      Route(.delete, Self.one, .forgetPreset, answer: .recipient(forget)),
      Route(.post, Self.one + "/apply", .applyPreset, answer: .recipient(apply)),
    ]
  }

  // MARK: - Showing

  private func showAll(_ call: Call, _ name: String) async throws -> Response {
    let (recipient, situation) = try await known(name)
    return Response { writer in
      writer.beginObject()
      writer.member("current", situation.catalog.currentPreset(situation.settings))
      writer.key(constant: "presets")
      writer.beginArray()
      for preset in Self.presets(of: situation) { Self.write(preset, situation, to: &writer) }
      writer.endArray()
      writer.endObject()
    }.tagged(recipient.facts.preferencesVersion)
  }

  private func show(_ call: Call, _ name: String) async throws -> Response {
    let (recipient, situation) = try await known(name)
    let preset = try Self.preset(call.segments[0], of: situation)
    return Response { Self.write(preset, situation, to: &$0) }
      .tagged(recipient.facts.preferencesVersion)
  }

  private static func write(
    _ preset: Preset, _ situation: Situation, to writer: inout JSONWriter
  ) {
    writer.beginObject()
    writer.member("name", preset.name)
    writer.member("own", preset.name == Preset.custom)
    writer.member("current", preset.matches(situation.settings))
    writer.member("switches", .object(preset.document(in: situation.catalog.settings)))
    writer.endObject()
  }

  // MARK: - Changing

  /// Saves the switches as they are now.
  private func save(_ call: Call, _ name: String) async throws -> Response {
    try await preferences.checkNoBody(call)
    try Self.checkOwn(call.segments[0])
    return try await preferences.changeSettings(call, of: name) { situation in
      let schema = situation.catalog.settings
      return CustomPreset.saving(situation.settings, in: schema)
    }
  }

  private func forget(_ call: Call, _ name: String) async throws -> Response {
    try await preferences.checkNoBody(call)
    try Self.checkOwn(call.segments[0])
    return try await preferences.changeSettings(call, of: name) { (situation) throws(Problem) in
      _ = try Self.preset(call.segments[0], of: situation)
      return CustomPreset.forgetting(in: situation.catalog.settings)
    }
  }

  private func apply(_ call: Call, _ name: String) async throws -> Response {
    try await preferences.checkNoBody(call)
    return try await preferences.change(call, of: name) { (situation) throws(Problem) in
      let preset = try Self.preset(call.segments[0], of: situation)
      guard !preset.matches(situation.settings) else { return [] }
      return [event(applying: preset, to: name, situation)]
    }
  }

  /// A declared one is reported by its name; what the person's own was then is told by its
  /// switches alone.
  private func event(
    applying preset: Preset, to recipient: String, _ situation: Situation
  ) -> Event {
    let schema = situation.catalog.settings
    let changes = preset.changes(in: schema)
    let isOwn = preset.name == Preset.custom
    let data: JSONObject =
      isOwn
      ? PreferencesDocument.partial(changes, in: schema) : ["preset": .string(preset.name)]
    return Event(
      identifier: Event.newIdentifier(), source: "chimed",
      type: isOwn ? "preferences.updated" : "preset.applied", recipient: recipient,
      time: preferences.now(), isTimeGiven: true, content: .preferences(changes),
      data: JSONWriter.canonical(.object(data)))
  }

  // MARK: - Names

  private static func presets(of situation: Situation) -> [Preset] {
    let own = CustomPreset(facts: situation.facts, schema: situation.catalog.settings)?.preset
    return situation.catalog.presets + (own.map { [$0] } ?? [])
  }

  private static func preset(
    _ name: String, of situation: Situation
  ) throws(Problem) -> Preset {
    let presets = presets(of: situation)
    if let preset = presets.first(where: { $0.name == name }) { return preset }
    let known = presets.map(\.name).joined(separator: ", ")
    let isSaved = name == Preset.custom ? "this person has saved no preset" : "there is no preset"
    throw Problem(
      .unknownPreset,
      "\(isSaved) \"\(name.shortened)\"; there \(known.isEmpty ? "is none" : "are \(known)")")
  }

  private static func checkOwn(_ name: String) throws(Problem) {
    guard name != Preset.custom else { return }
    guard Preset.names.contains(name) else {
      throw Problem(
        .unknownPreset, "a preset of one's own is called \"custom\"; this is \"\(name.shortened)\"")
    }
    throw Problem(
      .wrongMethod,
      "\"\(name)\" is declared by the catalogs; of one's own are the switches saved as \"custom\"",
      headers: [.allow: "GET, HEAD"])
  }

  private func known(_ name: String) async throws(Problem) -> (Recipient, Situation) {
    let recipient = try await preferences.service.known(name)
    let planner = preferences.service.planner
    return (recipient, Situation(facts: recipient.facts, planner: planner))
  }
}
