// Reports two events, requests a notification and lists pending ones: the socket is its argument.
import ChimedClient

struct Pending: Decodable {
  struct Entry: Decodable {
    let local: String
    let title: String
  }

  let pending: [Entry]
}

let chimed = ChimedClient(.socket(CommandLine.arguments[1]))
do {
  let receipts = try await chimed.send([
    ChimedEvent("recipient.updated", of: "u3", data: ["timezone": "Europe/Berlin"]),
    ChimedEvent("lesson.completed", of: "u3", data: ["day": 1]),
    ChimedEvent(
      "notification.requested", of: "u3",
      data: ["category": "LESSON", "title": "Hello from Swift", "body": "A word to you."]),
  ])
  print("accepted", receipts.count { $0 == .accepted })
  for entry in try await chimed.read(Pending.self, from: "/v1/recipients/u3/pending").pending {
    print(entry.local, entry.title)
  }
} catch let error as ChimedError {
  print(error)  // the fault, and what to do
}
