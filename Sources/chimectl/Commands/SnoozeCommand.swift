import API
import ArgumentParser
import JSON

/// Snoozes a pending reminder.
struct SnoozeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snooze",
    abstract: "Postpone the next occurrence of a pending reminder.",
    discussion: """
      chimectl snooze u1 daily-checkin-reminder --for 30m

      An occurrence is never moved to an earlier time; its repetitions move by the same span. The
      command prints the new planned instant; gates such as quiet hours may hold the occurrence
      longer. The reminder "digest" means all members of the next digest.
      """)

  @Argument(help: "The recipient's id.", completion: Completions.recipients)
  var recipient: String

  @Argument(help: "The reminder, as chimectl pending shows it.", completion: Completions.reminders)
  var reminder: String

  @Option(
    name: .customLong("for"), help: "The delay after its planned instant, such as 30m or PT2H.")
  var span: String?

  @Option(help: "The new planned instant, such as 2026-03-02T21:00:00Z.")
  var until: String?

  @OptionGroup var options: AnswerOptions

  func validate() throws {
    guard (span == nil) != (until == nil) else {
      throw ValidationError("Give either --for or --until.")
    }
  }

  func run() async throws {
    var request = JSONObject()
    if let span { request["for"] = .string(span) }
    if let until { request["until"] = .string(until) }
    let path =
      "/v1/recipients/\(ServiceClient.segment(recipient))/scheduled/"
      + "\(ServiceClient.segment(reminder))/snooze"
    try await reporting {
      try await options.show {
        try await $0.post(path, request)
      } as: { answer throws(CommandError) in
        let end = try Answer<SnoozedPayload>(answer).until
        return "\(reminder) of \(recipient) is planned for \(end)".printable + "\n"
      }
    }
  }
}

/// Cancels a pending reminder.
struct CancelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: "Cancel the next occurrence of a pending reminder, or its whole series.",
    discussion: """
      chimectl cancel u1 daily-checkin-reminder
      chimectl cancel u1 daily-checkin-reminder --series
      chimectl cancel u1 daily-checkin-reminder~20515

      The id of a later date, as /ahead shows it, cancels that date alone.
      A cancelled series returns when it is resumed, or when its settings group is switched on
      again. The reminder "digest" means all members of the next digest.
      """)

  @Argument(help: "The recipient's id.", completion: Completions.recipients)
  var recipient: String

  @Argument(help: "The reminder, as chimectl pending shows it.", completion: Completions.reminders)
  var reminder: String

  @Flag(help: "Cancel all occurrences, not only the next.")
  var series = false

  @OptionGroup var options: AnswerOptions

  func run() async throws {
    let path =
      "/v1/recipients/\(ServiceClient.segment(recipient))/scheduled/"
      + "\(ServiceClient.segment(reminder))?series=\(series)"
    try await reporting {
      try await options.show {
        try await $0.delete(path)
      } as: { _ in
        let extent = series ? ", with all later occurrences" : ""
        return "\(reminder) of \(recipient) is cancelled\(extent)".printable + "\n"
      }
    }
  }
}
