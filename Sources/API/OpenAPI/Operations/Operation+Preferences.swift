import HTTPTypes
import JSON
import Reminders

extension Operation {
  static let preferencesForm = Parameter.query(
    "form", .word(PreferencesForm.Name.allCases.map(\.rawValue)),
    "The form of the document: the service's own unless given, or an app's")
  static let tag = (name: "ETag", details: "The version of the preferences")

  /// The own form as the catalogs have it, or another form's document.
  static let preferencesDocument = Schema([
    "anyOf": [
      .object(Schema.reference(.preferences).json), .object(Schema.object.json),
    ]
  ])

  static let preferences = Operation(
    identifier: "preferences", summary: "A person's preferences", parameters: [preferencesForm],
    answers: [Answer("The whole document", preferencesDocument, headers: [tag])],
    problems: [.unknownRecipient])

  static let preferencesSchema = Operation(
    identifier: "preferencesSchema",
    summary: "What a person can set, and what it is called",
    details: """
      A JSON Schema of the service's own form, with titles and descriptions of categories, groups, \
      parameters (title, description) and choices (x-titles) as the catalogs have them.
      """,
    parameters: [
      .query("language", .text, "That of the titles, such as de; the person's unless given")
    ],
    answers: [Answer("The schema", .object)], problems: [.unknownRecipient])

  static let changePreferences = Operation(
    identifier: "changePreferences",
    summary: "Change preferences, and learn what that changes",
    details: """
      Any part may be left out. With dryRun=true nothing is written. A recipient's own token may \
      not set an address that a form shows.
      """,
    parameters: [
      preferencesForm, .query("dryRun", .boolean, "Whether to answer only what would change"),
      .header("If-Match", .text, "The ETag that was read; outdated, the write is refused"),
    ],
    body: Body(Content(schema: preferencesDocument, example: ["quietHours": ["enabled": true]])),
    answers: [
      Answer(
        "What it changes (or would)", .reference(.consequences),
        example: ["version": 1, "dryRun": false, "changes": [], "warnings": []], headers: [tag]
      ).leading(to: Link.recipient(from: "$request.path.recipient"))
    ],
    problems: [.unacceptablePreferences, .foreignEvent, .outdated])
}

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
    answers: [changed], problems: [.unacceptablePreferences, .outdated])

  static let resetPreferences = Operation(
    identifier: "resetPreferences", summary: "Make every setting the default",
    parameters: tried, answers: [changed],
    problems: [.malformedText, .unacceptablePreferences, .outdated])

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
    problems: [.malformedText, .unknownPreset, .wrongMethod, .unacceptablePreferences, .outdated])

  static let forgetPreset = Operation(
    identifier: "forgetPreset", summary: "Forget one's own preset", parameters: tried,
    answers: [changed],
    problems: [.malformedText, .unknownPreset, .wrongMethod, .unacceptablePreferences, .outdated])

  static let applyPreset = Operation(
    identifier: "applyPreset", summary: "Set the switches as a preset has them",
    details: "Times, zone and addresses stay as they are.", parameters: tried,
    answers: [changed],
    problems: [.malformedText, .unknownPreset, .unacceptablePreferences, .outdated])
}
