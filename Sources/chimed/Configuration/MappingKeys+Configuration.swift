import API
import Reminders
import Sinks
import Store

/// The keys of a configuration file, except those of sinks.
extension MappingKeys {
  static let configuration = MappingKeys([
    .optional("state-directory", .text, "The directory of the service's data."),
    .optional("store", .mapping(store), "The database, if the data is not in a file."),
    .optional("fleet", .mapping(fleet), "Makes the service one of several nodes."),
    .optional("socket", .text, "The Unix socket, if the service manager passes none."),
    .optional("listen", .text, "ADDRESS:PORT, or a port of the loopback, for TCP."),
    .optional("hosts", texts, "Additional host names by which clients may call the service."),
    .optional(
      "public-url", .text, "The https address at which people reach the service, for links."),
    .optional("origins", texts, "The origins of web pages that may call the service."),
    .optional(
      "interfaces", .oneOrMany(.word(AppInterface.allCases.map(\.rawValue))),
      "The interfaces of apps that the service offers; default: all."),
    .optional("console", .either([.toggle, .mapping(console)]), "Whether there is a console."),
    .optional("jwt", .mapping(webTokens), "The verification of JSON Web Tokens."),
    .optional("catalogs", texts, "The names or files of the catalogs of reminders."),
    .optional(
      "default-zone", .text, "The time zone of recipients whose zone is unknown; default: UTC."),
    .optional("holidays", .text, "The directory of public holidays."),
    .optional("days-off", texts, "iCalendar files of days off for all recipients."),
    .optional("policies", .mapping(policies), "The operator's limits for every recipient."),
    .optional("clock", .mapping(clock), "How far the machine's clock is trusted."),
    .optional("retention", .mapping(retention), "How long the store keeps its records."),
    .optional("audit", .mapping(audit), "The comparison of decisions with their replay."),
    .optional("outcomes", .toggle, "Whether outcomes of notifications are recorded for apps."),
    .optional("tracing", .mapping(tracing), "The export of traces by OTLP; off if absent."),
    .optional("sinks", .names(sink), "The adapters that deliver to recipients, by name."),
    .optional("routes", .mapping(routes), "The sinks of each channel."),
  ])

  private static let texts = ValueShape.oneOrMany(.text)

  static let store = MappingKeys([
    .required("postgresql", .mapping(database), "A PostgreSQL database.")
  ])

  static let database = MappingKeys([
    .required("url", .text, "The connection string of libpq.")
  ])

  static let fleet = MappingKeys([
    .optional("name", .text, "The name of the node; default: the host's name."),
    .optional("lease", .span, "The time after which a silent node is evicted; default: 5s."),
    .optional("listen", .text, "ADDRESS:PORT at which the other nodes reach this one."),
    .optional("certificate", .text, "The PEM file of the node's certificate."),
    .optional("key", .text, "The PEM file of the node's key."),
    .optional("authority", .text, "The certificate of the authority of all nodes."),
  ])

  static let console = MappingKeys([
    .optional("images", texts, "The hosts from which the console loads pictures.")
  ])

  static let webTokens = MappingKeys([
    .required("keys", .text, "The file of public keys."),
    .optional("issuer", .text, "The required issuer."),
    .optional("audience", .text, "The required audience."),
  ])

  static let clock = MappingKeys([
    .optional("trust-after", .span, "How long a jump ahead must last to be trusted; default: 5m.")
  ])

  static let audit = MappingKeys([
    .optional("daily", .text, "The share of recipients that is audited each night, such as 0.1%.")
  ])

  static let tracing = MappingKeys([
    .required("endpoint", .text, "The collector's URL for traces."),
    .optional("sample", .number, "The share of traces to export; default: 0.01."),
  ])

  static let retention = MappingKeys(
    RetentionPart.allCases.map {
      .optional($0.rawValue, .span, "How long these records are kept, at least 1d.")
    })
}
