import API
package import ArgumentParser
import JSON
import Reminders

/// Shell completions from the service's lists of names, if the service replies in time.
enum Completions {
  static let events = names(\.events)
  static let reminders = names(\.reminders)
  static let categories = names(\.categories)
  static let presets = names(\.presets)
  static let channels = CompletionKind.list(Channel.allCases.map(\.name))

  /// The timeout of a completion, in seconds.
  private static let timeout = 2.0

  static let recipients = CompletionKind.custom { words, _, prefix in
    let query = "prefix=\(ServiceClient.segment(prefix))&limit=\(recipientsMax)"
    let page = await document("/v1/recipients?\(query)", for: words)
    let recipients = try? page.map { try Answer<RecipientPagePayload>($0).recipients } ?? []
    return recipients?.compactMap { try? $0.recipient } ?? []
  }
  /// The maximum number of completions; a longer list would not help.
  private static let recipientsMax = 100

  static let sinks = CompletionKind.custom { words, _, prefix in
    let status = await document("/v1/status", for: words)
    let lanes = try? status.map { try Answer<StatusPayload>($0).lanes } ?? []
    return lanes?.compactMap { try? $0.sink }.filter { $0.hasPrefix(prefix) } ?? []
  }

  private static func names(
    _ list: any KeyPath<NamesPayload, NamesPayload.Member<[String]>> & Sendable
  ) -> CompletionKind {
    .custom { words, _, prefix in
      let catalog = await document("/v1/catalog", for: words)
      let names = catalog.flatMap { NamesPayload.shape.body[keyPath: list].read($0) } ?? []
      return names.filter { $0.hasPrefix(prefix) }
    }
  }

  /// Returns the document at a path; nil if the service refuses it or does not reply in time.
  private static func document(_ path: String, for words: [String]) async -> JSONValue? {
    try? await connection(in: words).withClient(timeout: timeout) { try await $0.document(path) }
  }

  /// Returns the connection options among the words of the command line.
  private static func connection(in words: [String]) -> ConnectionOptions {
    var options: [String] = []
    for (option, value) in zip(words, words.dropFirst())
    where ["--socket", "--url", "--token-file"].contains(option) {
      options += [option, value]
    }
    return (try? ConnectionOptions.parse(options)) ?? ConnectionOptions()
  }
}

/// A word that is in the position of a command, but is not a command.
package struct MistypedCommand {
  private let failure: CommandError

  /// The message for standard error.
  package var text: String { failure.text }
  package static let code = CommandError.Code.usage.rawValue

  /// Finds the first mistyped command; nil if every word in a command's position is a command.
  ///
  /// - Parameters:
  ///   - arguments: the arguments after the program's name.
  ///   - root: the program's command.
  package init?(in arguments: [String], of root: any ParsableCommand.Type) {
    var (command, path) = (root, Self.name(of: root))
    for word in arguments {
      let subcommands = command.configuration.subcommands
      guard !subcommands.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
      guard let next = subcommands.first(where: { Self.name(of: $0) == word }) else {
        // The word is an argument of the default command.
        if command.configuration.defaultSubcommand != nil { return nil }
        failure = Self.failure(word, subcommands.map(Self.name), path)
        return
      }
      (command, path) = (next, path + " " + word)
    }
    return nil
  }

  private static func name(of command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? ""
  }

  private static func failure(_ word: String, _ names: [String], _ path: String) -> CommandError {
    let suggestion = nearest(word, among: names).map { "did you mean \"\(path) \($0)\"?" }
    return CommandError(
      .usage, "\(path) has no command \"\(word)\"",
      hint: suggestion ?? "the commands are \(names.sorted().joined(separator: ", "))")
  }
}
