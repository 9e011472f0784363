import HTTPTypes
import JSON

extension Operation {
  static let showUnsubscribing = Operation(
    identifier: "showUnsubscribing", summary: "A page that asks whether to get no more e-mail",
    details: """
      The link in an e-mail. The token names a person and a category to the service alone, and is \
      all that is asked for. Looking at the page changes nothing.
      """,
    answers: [Answer("A page with a button that posts", .text, type: "text/html")],
    problems: [.unknownLink, .conflictingLink])

  static let unsubscribe = Operation(
    identifier: "unsubscribe", summary: "Get no more e-mail of a category",
    details: """
      One-click unsubscribing (RFC 8058): the category's e-mail is switched off in the person's \
      preferences. multipart/form-data is taken as well. Again, it changes nothing; nor does it \
      for a person who has been erased.
      """,
    body: Body(
      Content(
        type: "application/x-www-form-urlencoded",
        schema: .object(.optional("List-Unsubscribe", .text)),
        example: ["List-Unsubscribe": "One-Click"])),
    answers: [Answer("A page that says so", .text, type: "text/html")],
    problems: [.unknownLink, .conflictingLink, .malformedText, .tooManyRequests])
}
