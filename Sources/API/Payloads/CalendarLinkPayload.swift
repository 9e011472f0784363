package import CivilTime
import Reminders

/// The link to a recipient's calendar (rule H29).
package struct CalendarLinkPayload: Payload {
  package struct Value {
    let recipient: Recipient
    /// The complete link, shown once to its creator.
    var url: String?
  }

  package static let shape = PayloadShape(Self())

  package let recipient = Member("recipient", .recipient) { $0.recipient.name }
  package let created = Member(
    "created", orNull: .instant, "When the link was created; null if there is none"
  ) { $0.recipient.facts.calendarLink?.stamp.time }
  package let url = Member(
    "url", optional: .text, "The link; only in the response to the request that creates it"
  ) { $0.url }
}
