import ArgumentParser
import JSON
import Reminders

/// Prints a JSON Schema for editors (rule G12).
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON Schema of catalogs or of the configuration, for editors.",
    discussion: """
      The schema follows draft 7 of JSON Schema, which the YAML language servers of editors read. \
      Both schemas are installed in /usr/share/chimed/schemas. A schema describes keys and kinds \
      of values; chimectl catalog check and chimed --check-config find the other mistakes as well.
      """)

  enum Document: String, ExpressibleByArgument, CaseIterable {
    case catalog, configuration

    var schema: JSONValue {
      switch self {
      case .catalog: MappingKeys.catalog.schema(titled: "a catalog of chimed")
      case .configuration: MappingKeys.configuration.schema(titled: "the configuration of chimed")
      }
    }
  }

  @Argument(help: "The kind of files that the schema describes: catalog or configuration.")
  var document: Document

  func run() {
    print(JSONWriter.prettyPrinted(document.schema))
  }
}
