import Outbox
package import Reminders

/// The keys of `sinks` and `routes` in a configuration file.
extension MappingKeys {
  /// The keys that every sink has, except `type`.
  private static let common: [KeyDescription] = [
    .optional(
      "requires", .word(Requirement.allCases.map(\.rawValue)), "The address that the sink needs."),
    .optional("deadline", .span, "The time limit of an attempt; default: 15s."),
    .optional("concurrency", .wholeNumber, "The maximum number of concurrent deliveries."),
    .optional("rate", .wholeNumber, "The maximum number of deliveries in a second."),
    .optional(
      "receipts", .mapping(ReceiptConfiguration.keys),
      "How its service reports the further states of deliveries."),
    .optional(
      "replies", .mapping(ReplyConfiguration.keys), "How its service forwards what people reply."),
  ]

  /// The keys of a sink of one type.
  static func sink(_ kind: any SinkConfiguration.Type) -> MappingKeys {
    MappingKeys(
      [.required("type", .word([kind.type]), "The type of the sink.")] + common + kind.keys)
  }

  /// A sink of any type.
  package static let sink = ValueShape.either(SinkTypes.all.map { .mapping(sink($0)) })

  package static let routes = MappingKeys(
    Channel.allCases.map {
      .optional($0.name, .oneOrMany(.text), "The sinks of the channel, in order of fallback.")
    } + [
      .optional("analytics", .text, "The sink that receives analytics events."),
      .optional("outcomes", .text, "The sink that receives outcomes of notifications."),
    ])
}

extension ValueShape {
  /// The location of a secret.
  static let secret = ValueShape.either([
    .mapping(
      MappingKeys([.required("credential", .text, "The credential with the secret.")])),
    .mapping(
      MappingKeys([.required("file", .text, "The absolute path of a file with the secret.")])),
  ])
}
