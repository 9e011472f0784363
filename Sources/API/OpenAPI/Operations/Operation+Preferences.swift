import HTTPTypes
import JSON
import Reminders

extension Operation {
  static let preferencesForm = Parameter.query(
    "form", .word(PreferencesForm.Name.allCases.map(\.rawValue)),
    "The format of the document: the service's own (default) or an app's")
  static let asOf = Parameter.query("asOf", .instant, "A past instant; default: now")
  /// The header of an answer that contains preferences or a preset.
  static let versionHeader = (name: "ETag", details: "The version of the preferences")

  /// A document in the service's own format, which depends on the catalogs, or in an app's format.
  static let preferencesDocument = Schema([
    "anyOf": [
      .object(Schema.reference(.preferences).json), .object(Schema.object.json),
    ]
  ])

  static let preferences = Operation(
    identifier: "preferences", summary: "A recipient's preferences",
    details: """
      With asOf, the answer has the preferences of a past instant. They follow from the facts that \
      the service knew then, and from the catalogs and settings that were current. The answer is \
      an object of asOf, unknown (a list of parts that are not stored, such as other time zone \
      rules) and preferences, the document. It has no ETag. An instant in the future, or before \
      the stored facts and catalogs, is a 400.
      """,
    parameters: [preferencesForm, asOf],
    answers: [
      Answer("The whole document", preferencesDocument, headers: [versionHeader])
    ],
    problems: [.unknownRecipient])

  static let preferencesSchema = Operation(
    identifier: "preferencesSchema",
    summary: "The schema of a recipient's preferences, with titles",
    details: """
      A JSON Schema of the service's own format, from which an app can draw a settings page. Every \
      setting has a title in the language, some have a description. Further keywords:

      - x-sections, of the document: the sections in order, each {id, title, members}. A member of \
      the document that no section names is not for the page.
      - x-order: the position of a setting among its siblings, from 0.
      - x-kind: the kind of control: toggle, time, times, days, date, duration, number, numbers, \
      choice, selection, windows (of quietHours.windows), vacations (of vacation.announced) or \
      entities (of reminders.GROUP.items, whose additionalProperties are the settings of one).
      - x-titles: the title of each choice.
      - default: the value that applies until the recipient sets another.
      - readOnly: the setting cannot be written, because it is computed or locked.
      - x-locked: why a setting is locked; its value is const.
      - x-minimum, x-maximum: the least and the greatest value that the operator allows.
      - x-limits, of caps: the operator's further caps, each with categories (all if absent), and \
      perDay, perWeek or minInterval. They apply whatever the recipient sets.
      - x-unavailable: why a channel's switch has no effect: no sink carries the channel.
      - x-unavailable-choices: the same for the channels of an entity, by their names.
      """,
    parameters: [
      .query("language", .text, "The language of titles, such as de; default: the recipient's")
    ],
    answers: [Answer("The schema", .object)], problems: [.unknownRecipient])

  static let changePreferences = Operation(
    identifier: "changePreferences",
    summary: "Change preferences, and return the consequences",
    details: """
      The body may omit any part. A body with all settings changes only those whose values differ. \
      With dryRun=true nothing is written. A recipient's own token cannot set an address, which \
      some formats of apps contain.
      """,
    parameters: [
      preferencesForm, .query("dryRun", .boolean, "Whether to answer only what would change"),
      .header("If-Match", .text, "The ETag that was read; if outdated, the write is refused"),
    ],
    body: Body(Content(schema: preferencesDocument, example: ["quietHours": ["enabled": true]])),
    answers: [
      Answer(
        "The consequences of the change", .reference(.consequences),
        example: ["version": 1, "dryRun": false, "changes": [], "warnings": []],
        headers: [versionHeader]
      ).leading(to: Link.recipient(from: "$request.path.recipient"))
    ],
    problems: [.unacceptablePreferences, .foreignEvent, .outdated, .tooMuchWaiting])
}

extension Operation {
  private static let changeParameters: [Parameter] = [
    .query("dryRun", .boolean, "Whether to answer only what would change"),
    .header("If-Match", .text, "The ETag that was read; if outdated, the write is refused"),
  ]
  private static let changed = Answer(
    "The consequences of the change", .reference(.consequences),
    example: ["version": 1, "dryRun": false, "changes": [], "warnings": []],
    headers: [versionHeader])

  // MARK: - Copies

  static let exportPreferences = Operation(
    identifier: "exportPreferences",
    summary: "Export all settings of a recipient",
    details: "Omits settings that depend on the clock, and addresses.",
    answers: [Answer("The document", .reference(.preferencesExport), headers: [versionHeader])],
    problems: [.unknownRecipient])

  static let importPreferences = Operation(
    identifier: "importPreferences", summary: "Import exported settings",
    details: "Settings that the document omits become the default.",
    parameters: changeParameters,
    body: Body(
      Content(
        schema: .reference(.preferencesExport),
        example: ["version": 1, "preferences": ["quietHours": ["enabled": true]]])),
    answers: [changed], problems: [.unacceptablePreferences, .outdated, .tooMuchWaiting])

  static let resetPreferences = Operation(
    identifier: "resetPreferences", summary: "Reset every setting to the default",
    parameters: changeParameters, answers: [changed],
    problems: [.malformedText, .unacceptablePreferences, .outdated])

  // MARK: - Presets

  static let presets = Operation(
    identifier: "presets", summary: "The presets of the catalogs and the recipient's own",
    answers: [Answer("The presets", .reference(.presets), headers: [versionHeader])],
    problems: [.unknownRecipient])

  static let preset = Operation(
    identifier: "preset", summary: "A preset with its switches",
    answers: [Answer("The preset", .reference(.preset), headers: [versionHeader])],
    problems: [.unknownRecipient, .unknownPreset])

  static let savePreset = Operation(
    identifier: "savePreset", summary: "Save the current switches as the recipient's own preset",
    details: "Its name is custom; the other presets belong to the catalogs.",
    parameters: changeParameters,
    answers: [changed],
    problems: [.malformedText, .unknownPreset, .wrongMethod, .unacceptablePreferences, .outdated])

  static let forgetPreset = Operation(
    identifier: "forgetPreset", summary: "Delete the recipient's own preset",
    parameters: changeParameters,
    answers: [changed],
    problems: [.malformedText, .unknownPreset, .wrongMethod, .unacceptablePreferences, .outdated])

  static let applyPreset = Operation(
    identifier: "applyPreset", summary: "Apply the switches of a preset",
    details: "Times, zone and addresses stay as they are.", parameters: changeParameters,
    answers: [changed],
    problems: [.malformedText, .unknownPreset, .unacceptablePreferences, .outdated])
}
