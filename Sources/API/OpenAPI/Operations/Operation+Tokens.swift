import HTTPTypes
import JSON

extension Operation {
  static let tokens = Operation(
    identifier: "tokens", summary: "The bearer tokens there are, without their secrets",
    parameters: [
      .query("limit", .integer(1...1_000), "How many at most; 100 unless given"),
      .query("after", .text, "The \"next\" of the page before"),
    ],
    answers: [
      Answer(
        "A page of them",
        .object(
          .init("tokens", .list(.reference(.token))), .init("next", Schema.text.orNull)))
    ])

  static let createToken = Operation(
    identifier: "createToken", summary: "Make a bearer token; its secret is shown this once",
    body: Body(
      Content(
        schema: .object(
          .init("name", .text(1...100)),
          .init(
            "scope",
            Schema(
              type: "string",
              ["pattern": "^(admin|support|observer|recipient:.+)$", "examples": ["support"]]
            )
            .described("admin, support, observer, or recipient: and a recipient's id")),
          .optional("for", Schema.duration.orNull.described("How long it holds; ever, if left out"))
        ),
        example: ["name": "phone", "scope": "recipient:u1", "for": "P30D"])),
    answers: [
      Answer(status: .created, "The token", .reference(.token)).leading(to: [
        Link(operation: "revokeToken", parameter: "token", value: "$response.body#/id")
      ])
    ],
    problems: [.unacceptableToken])

  static let revokeToken = Operation(
    identifier: "revokeToken", summary: "Revoke a bearer token, at once",
    answers: [Answer("What it was", .reference(.token))], problems: [.unknownToken])
}
