import JSON

extension Operation {
  private static let tried: [Parameter] = [
    .query("dryRun", .boolean, "Whether to answer only what would change"),
    .header("If-Match", .text, "The ETag that was read; outdated, the write is refused"),
  ]
  private static let changed = Answer(
    "What it changes (or would)", .reference(.consequences),
    example: ["version": 1, "dryRun": false, "changes": [], "warnings": []], headers: [tag])

  // MARK: - Copies

  static let exportPreferences = Operation(
    identifier: "exportPreferences",
    summary: "All of a person's settings, to be kept elsewhere",
    details: "Nothing that depends on the clock, and no address.",
    answers: [Answer("The document", .reference(.preferencesExport), headers: [tag])],
    problems: [.unknownRecipient])

  static let importPreferences = Operation(
    identifier: "importPreferences", summary: "Bring exported settings back",
    details: "What the document leaves out becomes the default.", parameters: tried,
    body: Body(
      Content(
        schema: .reference(.preferencesExport),
        example: ["version": 1, "preferences": ["quietHours": ["enabled": true]]])),
    answers: [changed], problems: [.unacceptableEvent, .outdated])

  static let resetPreferences = Operation(
    identifier: "resetPreferences", summary: "Make every setting the default",
    parameters: tried, answers: [changed],
    problems: [.malformedText, .unacceptableEvent, .outdated])

  // MARK: - Presets

  static let presets = Operation(
    identifier: "presets", summary: "The presets of the catalogs, and the person's own",
    answers: [Answer("The presets", .reference(.presets), headers: [tag])],
    problems: [.unknownRecipient])

  static let preset = Operation(
    identifier: "preset", summary: "A preset with its switches",
    answers: [Answer("The preset", .reference(.preset), headers: [tag])],
    problems: [.unknownRecipient, .unknownPreset])

  static let savePreset = Operation(
    identifier: "savePreset", summary: "Save the switches as they are as one's own preset",
    details: "It is called custom; the others belong to the catalogs.", parameters: tried,
    answers: [changed],
    problems: [.malformedText, .unknownPreset, .wrongMethod, .unacceptableEvent, .outdated])

  static let forgetPreset = Operation(
    identifier: "forgetPreset", summary: "Forget one's own preset", parameters: tried,
    answers: [changed],
    problems: [.malformedText, .unknownPreset, .wrongMethod, .unacceptableEvent, .outdated])

  static let applyPreset = Operation(
    identifier: "applyPreset", summary: "Set the switches as a preset has them",
    details: "Times, zone and addresses stay as they are.", parameters: tried,
    answers: [changed], problems: [.malformedText, .unknownPreset, .unacceptableEvent, .outdated])
}
