import API
import ArgumentParser
import JSON
import NIOHTTP1

/// Shows whether a recipient's calendar has a link, creates one, or revokes it.
struct CalendarCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calendar",
    abstract: "Create or revoke the link to a recipient's reminders as a calendar.",
    discussion: """
      chimectl calendar u1
      chimectl calendar u1 --new --discreet
      chimectl calendar u1 --revoke

      The link needs no token. It is printed once; a new one replaces it.
      """)

  @Argument(help: "The recipient's id.", completion: Completions.recipients)
  var recipient: String

  @Flag(help: "Create a link, and revoke the previous one.")
  var new = false

  @Flag(help: "Show only discreet texts in the calendar of the new link.")
  var discreet = false

  @Flag(help: "Revoke the link.")
  var revoke = false

  @OptionGroup var options: AnswerOptions

  func validate() throws {
    guard !(new && revoke) else { throw ValidationError("Give either --new or --revoke.") }
    guard new || !discreet else { throw ValidationError("Give --discreet together with --new.") }
  }

  func run() async throws {
    let path = "/v1/recipients/\(ServiceClient.segment(recipient))/calendar"
    try await reporting {
      if new {
        let query = discreet ? "?titles=discreet" : ""
        try await options.show({ try await $0.write(.POST, path + query) }, as: Self.text)
      } else if revoke {
        try await options.show({ try await $0.delete(path) }, as: Self.text)
      } else {
        try await options.show({ try await $0.document(path) }, as: Self.text)
      }
    }
  }

  /// Returns the address of a new link, or otherwise a line that says whether there is a link.
  static func text(_ answer: JSONValue) throws(CommandError) -> String {
    let answer = Answer<CalendarLinkPayload>(answer)
    if let url = try answer.url { return url.printable + "\n" }
    let name = try answer.recipient
    guard let created = try answer.created else {
      return "The calendar of \(name) has no link.".printable + "\n"
    }
    return "The calendar of \(name) has a link, created \(created).".printable + "\n"
  }
}
