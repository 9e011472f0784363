import ArgumentParser
import JSON
import Reminders

/// What a shell completes a word to: what the service knows that is asked, if it answers at once.
enum Known {
  static let events = names("events")
  static let reminders = names("reminders")
  static let categories = names("categories")
  static let presets = names("presets")
  static let channels = CompletionKind.list(Channel.allCases.map(\.name))

  /// How many seconds somebody who has typed a tab waits at most.
  private static let patience = 2.0

  private static func names(_ list: String) -> CompletionKind {
    .custom { words, _, beginning in
      let document = try? await connection(in: words).withClient(patience: patience) {
        try await $0.document("/v1/catalog")
      }
      let names = (document?[list]?.arrayValue ?? []).compactMap(\.stringValue)
      return names.filter { $0.hasPrefix(beginning) }
    }
  }

  /// The service that the words typed so far are for.
  private static func connection(in words: [String]) -> ConnectionOptions {
    var options: [String] = []
    for (option, value) in zip(words, words.dropFirst())
    where ["--socket", "--url", "--token-file"].contains(option) {
      options += [option, value]
    }
    return (try? ConnectionOptions.parse(options)) ?? ConnectionOptions()
  }
}
