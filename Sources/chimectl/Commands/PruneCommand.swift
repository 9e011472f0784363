import API
import ArgumentParser
import CivilTime
import JSON

/// Shows the data that the service will remove because of its age.
struct PruneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Show the data whose retention has ended and that will be removed.",
    discussion: """
      chimectl prune --dry-run

      The service removes such data by itself, in small steps, every six hours. The retention is \
      configured under "retention": see chimed.yaml(5).
      """)

  @Flag(help: "Show what would be removed, without removing it.")
  var dryRun = false

  @Flag(help: "Print the service's JSON, with the pages of each part joined.")
  var json = false

  @OptionGroup var layout: LayoutOptions

  @OptionGroup var connection: ConnectionOptions

  func validate() throws {
    guard dryRun else {
      throw ValidationError(
        "The service removes old data by itself; use --dry-run to see what it would remove now.")
    }
  }

  func run() async throws {
    try await reporting(layout) {
      let progress = Progress()
      let forecasts = try await connection.withClient { try await Self.forecasts($0, progress) }
      progress.clear()
      guard !json else {
        return Console.printJSON(["retention": .array(forecasts)])
      }
      Console.printOutput(try Self.text(forecasts))
    }
  }

  /// Returns the forecast of each part of the stored data.
  static func forecasts(
    _ client: ServiceClient, _ progress: Progress
  ) async throws(CommandError) -> [JSONValue] {
    var forecasts: [JSONValue] = []
    for part in RetentionPayload.parts {
      forecasts.append(.object(try await forecast(of: part, client, progress)))
    }
    return forecasts
  }

  /// Joins all pages of a part. In the result, `oldest` is from the first page that contains it,
  /// and `next` is null.
  static func forecast(
    of part: String, _ client: ServiceClient, _ progress: Progress
  ) async throws(CommandError) -> JSONObject {
    let path = "/v1/retention?part=\(part)"
    let first = try await client.document(path)
    var page = Answer<RetentionPayload>(first)
    var (count, oldest) = (try page.count, try page.oldest)
    while let next = try page.next {
      progress.show("\(part): \(count)")
      page = Answer(try await client.document(path + "&after=\(ServiceClient.segment(next))"))
      count += try page.count
      if oldest == nil { oldest = try page.oldest }
    }
    var forecast = first.objectValue ?? [:]
    forecast.set(RetentionPayload.self, \.count, .integer(count))
    forecast.set(RetentionPayload.self, \.oldest, oldest.map { .string($0.description) } ?? .null)
    forecast.set(RetentionPayload.self, \.next, .null)
    return forecast
  }

  static func text(_ forecasts: [JSONValue]) throws(CommandError) -> String {
    var table = Table(header: ["PART", "KEPT FOR", "TO REMOVE", "OLDEST"])
    for forecast in forecasts.map({ Answer<RetentionPayload>($0) }) {
      table.add([
        try forecast.part, try forecast.kept ?? "ever", "\(try forecast.count)",
        try forecast.oldest?.description ?? "-",
      ])
    }
    return table.text
  }
}
