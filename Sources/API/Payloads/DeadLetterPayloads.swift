package import CivilTime
package import Engine
import JSON
import Reminders
package import Store

package struct DeadLetterPagePayload: PagePayload {
  package typealias Value = DeadLetterPage
  package static let shape = PayloadShape(Self())

  package let deadLetters = Member("deadLetters", .list(.payload(DeadLetterPayload.self))) {
    $0.letters
  }
  package let next = Member("next", orNull: .text) { $0.next }

  package var items: Member<[PayloadNode<DeadLetterPayload>]> { deadLetters }
}

/// A dead letter, without the text of the notification, which is for the recipient only.
package struct DeadLetterPayload: Payload {
  package typealias Value = DeadLetter
  package static let shape = PayloadShape(Self())

  package let id = Member("id", .text) { $0.identifier }
  package let notification = Member("notification", .text) { $0.delivery.identifier }
  package let recipient = Member("recipient", .recipient) { $0.delivery.recipient }
  package let reminder = Member("reminder", .text) { $0.delivery.reminder }
  package let category = Member("category", .text) { $0.delivery.category }
  package let channel = Member("channel", .text) { $0.delivery.channel.name }
  package let sink = Member("sink", .text) { $0.sink }
  package let attempts = Member("attempts", .count) { $0.attempts }
  package let reason = Member("reason", .text) { $0.reason }
  package let at = Member("at", .instant) { $0.delivery.at }
  package let expires = Member("expires", .instant) { $0.delivery.expiry }
}

package struct DeadLetterGroupsPayload: Payload {
  package typealias Value = DeadLetterGroups
  package static let shape = PayloadShape(Self())

  package let by = Member("by", .text) { $0.grouping.rawValue }
  package let groups = Member("groups", .list(.payload(DeadLetterGroupPayload.self))) {
    $0.groups.map(DeadLetterGroupPayload.Value.init)
  }
  package let total = Members(DeadLetterCountPayload.self) { $0.all }
  package let whole = Member("whole", .boolean) { $0.isWhole }
}

package struct DeadLetterGroupPayload: Payload {
  package struct Value {
    let name: String
    let count: DeadLetterGroups.Count
  }

  package static let shape = PayloadShape(Self())

  package let name = Member("name", .text) { $0.name }
  package let count = Members(DeadLetterCountPayload.self) { $0.count }
}

package struct DeadLetterCountPayload: Payload {
  package typealias Value = DeadLetterGroups.Count
  package static let shape = PayloadShape(Self())

  package let letters = Member("letters", .count) { $0.letters }
  package let expired = Member("expired", .count, "Dead letters that are too late to deliver") {
    $0.expired
  }
}

package struct DeadLetterReceiptPayload: PagePayload {
  package typealias Value = DeadLetterReceipt
  package static let shape = PayloadShape(Self())

  package let deadLetters = Member("deadLetters", .list(.payload(LetterOutcomePayload.self))) {
    $0.outcomes.map(LetterOutcomePayload.Value.init)
  }
  package let next = Member("next", orNull: .text) { $0.next }

  package var items: Member<[PayloadNode<LetterOutcomePayload>]> { deadLetters }
}

package struct LetterOutcomePayload: Payload {
  package struct Value {
    let letter: String
    let outcome: DeadLetterReceipt.Outcome
  }

  package static let shape = PayloadShape(Self())

  package let id = Member("id", .text) { $0.letter }
  package let outcome = Member("outcome", .word(["resent", "held", "kept", "discarded"])) {
    $0.outcome.fields.word
  }
  package let sink = Member("sink", optional: .text) { $0.outcome.fields.sink }
  package let until = Member("until", optional: .instant) { $0.outcome.fields.until }
  package let reasons = Member("reasons", optional: .list(.text)) { $0.outcome.fields.reasons }
}

extension DeadLetterReceipt.Outcome {
  fileprivate var fields: (word: String, sink: String?, until: Instant?, reasons: [String]?) {
    switch self {
    case .resent(let sink): ("resent", sink, nil, nil)
    case .held(let until, let reasons): ("held", nil, until, reasons)
    case .kept(let reasons): ("kept", nil, nil, reasons)
    case .discarded: ("discarded", nil, nil, nil)
    }
  }
}
