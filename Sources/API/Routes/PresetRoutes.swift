import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// Serves presets, which are sets of switches: those of the catalogs, and the recipient's own,
/// saved as `custom` (rule P4). Presets do not include times, zones or addresses.
struct PresetRoutes: Sendable {
  let preferences: PreferencesRoutes

  private static let listPath = "/v1/recipients/{recipient}/preferences/presets"
  private static let presetPath = listPath + "/{preset}"

  var routes: [Route] {
    [
      Route(.get, Self.listPath, .presets, answer: .recipient(showAll)),
      Route(.get, Self.presetPath, .preset, answer: .recipient(show)),
      Route(.put, Self.presetPath, .savePreset, answer: .recipient(save)),
      Route(.delete, Self.presetPath, .forgetPreset, answer: .recipient(forget)),
      Route(.post, Self.presetPath + "/apply", .applyPreset, answer: .recipient(apply)),
    ]
  }

  // MARK: - Showing

  private func showAll(_ call: Call, _ name: String) async throws -> Response {
    let (recipient, context) = try await recipientAndContext(of: name)
    let value = PresetsPayload.Value(presets: Self.presets(of: context), context: context)
    return Response(PresetsPayload.self, value).tagged(recipient.facts.preferencesVersion)
  }

  private func show(_ call: Call, _ name: String) async throws -> Response {
    let (recipient, context) = try await recipientAndContext(of: name)
    let preset = try Self.preset(call.segments[0], of: context)
    return Response(PresetPayload.self, PresetPayload.Value(preset: preset, context: context))
      .tagged(recipient.facts.preferencesVersion)
  }

  // MARK: - Changing

  /// Saves the current switches as the recipient's own preset.
  private func save(_ call: Call, _ name: String) async throws -> Response {
    try await preferences.checkNoBody(call)
    try Self.checkOwn(call.segments[0])
    return try await preferences.changeSettings(call, of: name) { context in
      let schema = context.catalog.settings
      return CustomPreset.saving(context.settings, in: schema)
    }
  }

  private func forget(_ call: Call, _ name: String) async throws -> Response {
    try await preferences.checkNoBody(call)
    try Self.checkOwn(call.segments[0])
    return try await preferences.changeSettings(call, of: name) { (context) throws(Problem) in
      _ = try Self.preset(call.segments[0], of: context)
      return CustomPreset.forgetting(in: context.catalog.settings)
    }
  }

  private func apply(_ call: Call, _ name: String) async throws -> Response {
    try await preferences.checkNoBody(call)
    return try await preferences.change(call, of: name) { (context) throws(Problem) in
      let preset = try Self.preset(call.segments[0], of: context)
      guard !preset.matches(context.settings) else { return [] }
      return [event(applying: preset, to: name, context)]
    }
  }

  /// Creates the event that applies a preset. For a declared preset, the event contains its name.
  /// For the recipient's own preset, which may change later, the event contains the switches.
  private func event(
    applying preset: Preset, to recipient: String, _ context: PlanningContext
  ) -> Event {
    let schema = context.catalog.settings
    let changes = preset.changes(in: schema)
    let isOwn = preset.name == Preset.custom
    let data: JSONObject =
      isOwn
      ? PreferencesDocument.partial(changes, in: schema) : ["preset": .string(preset.name)]
    return Event(
      identifier: Event.newIdentifier(), source: "chimed",
      type: isOwn ? "preferences.updated" : "preset.applied", recipient: recipient,
      time: preferences.now(), isTimeGiven: false, content: .preferences(changes),
      data: JSONWriter.canonical(.object(data)))
  }

  // MARK: - Names

  private static func presets(of context: PlanningContext) -> [Preset] {
    let customPreset = CustomPreset(facts: context.facts, schema: context.catalog.settings)?.preset
    return context.catalog.presets + (customPreset.map { [$0] } ?? [])
  }

  private static func preset(
    _ name: String, of context: PlanningContext
  ) throws(Problem) -> Preset {
    let presets = presets(of: context)
    if let preset = presets.first(where: { $0.name == name }) { return preset }
    let knownNames = presets.map(\.name).joined(separator: ", ")
    let absence = name == Preset.custom ? "this recipient saved no preset" : "there is no preset"
    throw Problem(
      .unknownPreset,
      "\(absence) \"\(name.shortened)\"; known presets: "
        + (knownNames.isEmpty ? "none" : knownNames))
  }

  /// Throws unless the name is that of the recipient's own preset.
  private static func checkOwn(_ name: String) throws(Problem) {
    guard name != Preset.custom else { return }
    guard Preset.names.contains(name) else {
      throw Problem(
        .unknownPreset, "a recipient's own preset is \"custom\"; this is \"\(name.shortened)\"")
    }
    throw Problem(
      .wrongMethod,
      "\"\(name)\" is declared by the catalogs; only \"custom\" can be changed",
      headers: [.allow: "GET, HEAD"])
  }

  private func recipientAndContext(of name: String) async throws(Problem) -> (
    Recipient, PlanningContext
  ) {
    let recipient = try await preferences.service.recipient(named: name)
    let planner = preferences.service.planner
    return (recipient, PlanningContext(facts: recipient.facts, planner: planner))
  }
}
