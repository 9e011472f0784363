import CivilTime
import JSON
import Reminders

extension Catalog {
  /// The schema of any event of the loaded catalogs (rules E1, E2), discriminated by type.
  var eventSchema: Schema {
    var mapping = JSONObject()
    var references: [Schema] = []
    for (name, type) in eventNames {
      let reference = ComponentSchemas.reference(name)
      references.append(Schema(["$ref": .string(reference)]))
      mapping[type] = .string(reference)
    }
    var schema = Schema.oneOf(references)
    schema.json["discriminator"] = ["propertyName": "type", "mapping": .object(mapping)]
    return schema.described("A fact about a recipient: a CloudEvent (version 1.0, JSON format)")
  }

  /// A schema for each type of event with its data, named like `LessonCompletedEvent`.
  var eventSchemas: [(name: String, schema: Schema)] {
    zip(eventNames, reportableEvents).map { ($0.name, schema(of: $1)) }
  }

  /// The event types that apps may report: all except copies, which the service creates itself.
  private var reportableEvents: [EventSchema] { events.filter { !$0.isCopy } }

  /// The name of each reportable type's schema, and the type.
  private var eventNames: [(name: String, type: String)] {
    var usedNames = Set(Component.allCases.map { $0.rawValue.lowercased() })
    return reportableEvents.map { event in
      let baseName = ComponentSchemas.typeName(event.type) + "Event"
      var (name, number) = (baseName, 2)
      while !usedNames.insert(name.lowercased()).inserted {
        (name, number) = ("\(baseName)\(number)", number + 1)
      }
      return (name, event.type)
    }
  }

  private func schema(of event: EventSchema) -> Schema {
    let data = dataSchema(of: event.shape)
    var properties: [Schema.Property] = [
      .init("specversion", .constant("1.0")), .init("id", Self.identity),
      .init("source", Self.identity),
      .init("type", .constant(event.type)), .init("subject", .recipient),
      .optional("time", .instant.described("When the fact became true; default: now")),
      .optional("datacontenttype", Schema([:])), .optional("dataschema", Schema([:])),
      .optional("traceparent", .text.described("W3C Trace Context; passed to the sinks")),
      .optional("tracestate", .text),
    ]
    properties.append(
      data.isRequired ? .init("data", data.schema) : .optional("data", data.schema.orNull))
    let ability = event.isOwnReport ? "may" : "must not"
    var schema = Schema.object(properties).described(
      "A recipient's own token \(ability) report this event")
    schema.json["additionalProperties"] = .object(Self.extensionAttribute.json)
    return schema
  }

  /// The schema of an extension attribute's value.
  private static let extensionAttribute = Schema([
    "anyOf": [["type": "string"], ["type": "boolean"], ["type": "integer"]]
  ])

  /// A text of 1 to 256 bytes without control characters.
  private static let identity = Schema(
    type: "string",
    ["minLength": 1, "maxLength": 256, "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]+$"])

  /// Returns the schema of the member "data", and whether the member is required.
  private func dataSchema(of shape: EventSchema.Shape) -> (schema: Schema, isRequired: Bool) {
    switch shape {
    case .profile:
      var schema = Schema.object(
        ProfileField.allCases.map { field in
          let text = Schema.text(1...256).orNull
          guard !field.isOwnReport else { return .optional(field.name, text) }
          return .optional(field.name, text.described("A recipient's own token must not set it"))
        })
      schema.json["minProperties"] = 1
      return (schema, true)
    case .preferences: return (.reference(.preferences), true)
    case .happening(nil), .erasure: return (.object([]), false)
    case .vacationEnd, .calendarLink: return (.object(commandProperties(shape)), false)
    case .happening(let field?):
      let interactive = [Schema.Property.optional("interactive", Schema.boolean.orNull)]
      return (
        .object(
          [.init(field.name, .integer(field.range))] + (field.memory == .each ? interactive : [])),
        true
      )
    case .report(let fields):
      return (.object(fields.map(property)), fields.contains(where: \.isRequired))
    default: return (.object(commandProperties(shape)), true)
    }
  }

  private func property(_ field: EventSchema.Field) -> Schema.Property {
    let schema: Schema =
      switch field.kind {
      case .identifier: .text(1...128)
      case .text: .text(1...256)
      case .recipient: .text(1...128)
      case .instant: .instant
      case .date: .date
      case .number: Schema(type: "number")
      case .rememberedNumber(let number): .integer(number.range)
      case .flag: .boolean
      case .preview: .text(1...16_384)
      case .person: Self.person
      case .place: .object(.init("id", .text(1...128)), .init("name", .text(1...256)))
      case .list(let sorts): Self.list(of: sorts)
      case .plan: Self.plan
      }
    return field.isRequired
      ? .init(field.name, schema) : .optional(field.name, schema.orNull)
  }

  private static var person: Schema {
    .object(
      .init("id", .text(1...128)), .init("username", .text(1...128)),
      .optional("firstName", Schema.text(1...256).orNull),
      .optional("avatarUrl", Schema.text(1...2_048).orNull))
  }

  /// The schedule of an entity (rule G15).
  private static var plan: Schema {
    let number = { (most: Int64) in Schema.integer(1...most) }
    return .object(
      .init(
        "times", .list(.text.described("A time such as 08:00"), atMost: EntityPlan.timesMax)),
      .optional("days", Schema.list(.word(Weekday.allCases.map(\.name))).orNull),
      .optional(
        "every",
        Schema.object(
          .optional("days", number(366)), .optional("weeks", number(60)),
          .optional("months", number(60))
        ).orNull.described("Exactly one of the three")),
      .optional(
        "from",
        Schema.text.orNull.described(
          "The first date, such as 2026-03-02 or 2026-03-02T20:00; count, cycle, rule, months, "
            + "weeks without days and steps above 1 need it")),
      .optional("until", Schema.date.orNull.described("The last date")),
      .optional("count", Schema.integer(1...Int64(EntityPlan.countMax)).orNull),
      .optional(
        "cycle", Schema.object(.init("on", number(366)), .init("off", number(366))).orNull),
      .optional(
        "rule",
        Schema.text.orNull.described(
          "A recurrence rule of RFC 5545, such as FREQ=MONTHLY;BYDAY=-1FR, instead of days, every, "
            + "cycle, until and count")),
      .optional(
        "except",
        Schema.list(.date, atMost: EntityPlan.changesMax).orNull.described(
          "Dates without the doses of the other members")),
      .optional(
        "also",
        Schema.list(.text, atMost: EntityPlan.changesMax).orNull.described(
          "Further doses: dates with the plan's times, such as 2026-12-27, or dates and times, "
            + "such as 2026-12-27T09:30")),
      .optional(
        "zone",
        Schema.text.orNull.described("floating, or the name of a zone that the times are in")))
  }

  private static func list(of sorts: [Tally.ObjectKind]) -> Schema {
    let item = Schema.object(
      .init("type", .word(sorts.map(\.name))),
      .optional("thumbnail", Schema.text(1...2_048).orNull))
    return .list(item, atMost: 1_000)
  }

  /// The other person and the role of a relation. Exactly one of `person` and `of` is given.
  private var relationProperties: [Schema.Property] {
    [
      .optional(
        "person",
        Schema.text(1...128).orNull.described(
          "The person who gets messages about the recipient; or else: of")),
      .optional(
        "of",
        Schema.text(1...128).orNull.described(
          "The person about whom the recipient gets messages; or else: person")),
      .init("role", roles.isEmpty ? .text(1...128) : .word(roles)),
    ]
  }

  private func commandProperties(_ shape: EventSchema.Shape) -> [Schema.Property] {
    switch shape {
    case .preset: [.init("preset", .word(presets.map(\.name)))]
    case .deviceRegistration: Self.device
    case .deviceRemoval: [.init("deviceId", .text(1...256))]
    case .sighting: [.optional("device", Schema.text(1...256).orNull)]
    case .permission:
      [
        .init("channel", .word(Channel.allCases.map(\.name))),
        .init("status", .word(Permission.allCases.map(\.name))),
      ]
    case .calendarLink:
      [
        .optional(
          "link",
          Schema.integer(CalendarLink.numbers).orNull.described(
            "The number of the link to the recipient's calendar; null if there is none"))
      ]
    case .vacationStart:
      [
        .init("until", .date),
        .optional("from", Schema.date.orNull.described("The first day; default: at once")),
      ]
    case .relationAddition: relationProperties + [.optional("consent", .word(["own", "both"]))]
    case .relationRemoval: relationProperties
    case .vacationEnd:
      [
        .optional(
          "from", Schema.date.orNull.described("The first day of an announced vacation to cancel"))
      ]
    case .request: requestProperties
    case .requestCancellation: [.init("notification", .text(1...256))]
    case .opening:
      [
        .init("notification", .text(1...256)), .optional("reminder", Schema.text(1...256).orNull),
        .optional("category", Schema.text(1...256).orNull),
        .optional(
          "action", Schema.text(1...256).orNull.described("The action that the recipient chose")),
      ]
    case .receipt:
      [
        .init("notification", .text(1...256)),
        .optional("channel", Schema.word(DeliveryReport.channels).orNull),
      ]
    case .deliveryReport:
      [
        .init("notification", .text(1...256)), .init("channel", .word(DeliveryReport.channels)),
        .init("state", .word(DeliveryReport.State.allCases.map(\.rawValue))),
        .optional("reason", Schema.text(1...500).orNull),
        .optional("sent", Schema.instant.orNull),
      ]
    case .cancellation, .resumption:
      [
        .init("reminder", reminderOrDigest), .optional("series", Schema.boolean.orNull),
        .optional("occurrence", Schema.text(1...20).orNull),
      ]
    case .snooze:
      [
        .init("reminder", reminderOrDigest), .optional("until", Schema.instant.orNull),
        .optional("for", Schema.duration.orNull),
        .optional("delivered", Schema.boolean.orNull),
        .optional("occurrence", Schema.text(1...20).orNull),
      ]
    default: []
    }
  }

  private var reminderOrDigest: Schema { .word(reminders.map(\.identifier) + [Digest.identifier]) }

  /// The members of the data with which an app registers a device.
  static var device: [Schema.Property] {
    [
      .optional("token", .text(1...4_096).described("The device's token at FCM or Apple")),
      .optional("subscription", subscription.orNull),
      .init("platform", .word(["ios", "android", "web"])), .init("deviceId", .text(1...256)),
    ]
  }

  private static let subscription = Schema.object(
    .init("endpoint", .text(1...2_048)), .optional("expirationTime", Schema([:])),
    .init("keys", .object(.init("p256dh", .text(1...128)), .init("auth", .text(1...64))))
  ).described("Instead of a token: a browser's PushSubscription, as its toJSON() returns it")

  private var requestProperties: [Schema.Property] {
    [
      .init("category", .word(categories.map(\.name))), .init("title", .text(1...1_024)),
      .init("body", .text(1...4_096)), .optional("at", Schema.instant.orNull),
      .optional("expires", Schema.duration.orNull),
      .optional(
        "channels", Schema.list(.word(Channel.allCases.map(\.name))).orNull),
      .optional("deepLink", Schema([:])), .optional("actor", Schema([:])),
      .optional("interactive", Schema.boolean.orNull),
    ]
  }
}
