import CivilTime
import Engine
import JSON
import Reminders
import Store

extension DeadLetterPage {
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key(constant: "deadLetters")
    writer.beginArray()
    for letter in letters { letter.write(to: &writer) }
    writer.endArray()
    writer.member("next", next.map { .string($0) } ?? .null)
    writer.endObject()
  }
}

extension DeadLetter {
  /// What it says is for its recipient alone.
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", identifier)
    writer.member("notification", delivery.identifier)
    writer.member("recipient", delivery.recipient)
    writer.member("reminder", delivery.reminder)
    writer.member("category", delivery.category)
    writer.member("channel", delivery.channel.name)
    writer.member("sink", sink)
    writer.member("attempts", attempts)
    writer.member("reason", reason)
    writer.member("at", delivery.at.description)
    writer.member("expires", delivery.expiry.description)
    writer.endObject()
  }
}

extension DeadLetterGroups {
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("by", grouping.rawValue)
    writer.key(constant: "groups")
    writer.beginArray()
    for (name, count) in groups {
      writer.beginObject()
      writer.member("name", name)
      count.write(to: &writer)
      writer.endObject()
    }
    writer.endArray()
    all.write(to: &writer)
    writer.member("whole", isWhole)
    writer.endObject()
  }
}

extension DeadLetterGroups.Count {
  /// Two members.
  fileprivate func write(to writer: inout JSONWriter) {
    writer.member("letters", letters)
    writer.member("expired", expired)
  }
}

extension DeadLetterReceipt {
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key(constant: "deadLetters")
    writer.beginArray()
    for (letter, outcome) in outcomes {
      writer.beginObject()
      writer.member("id", letter)
      outcome.write(to: &writer)
      writer.endObject()
    }
    writer.endArray()
    writer.member("next", next.map { .string($0) } ?? .null)
    writer.endObject()
  }
}

extension DeadLetterReceipt.Outcome {
  fileprivate func write(to writer: inout JSONWriter) {
    switch self {
    case .resent(let sink):
      writer.member("outcome", "resent")
      writer.member("sink", sink)
    case .held(let until, let reasons):
      writer.member("outcome", "held")
      writer.member("until", until.description)
      writer.member("reasons", .array(reasons.map { .string($0) }))
    case .kept(let reasons):
      writer.member("outcome", "kept")
      writer.member("reasons", .array(reasons.map { .string($0) }))
    case .discarded: writer.member("outcome", "discarded")
    }
  }
}

extension Attempt {
  /// - Parameter zone: in which the time is written as well; none if nil.
  func write(in zone: Zone? = nil, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("channel", channel.name)
    writer.member("sink", sink)
    writer.member("at", at.description)
    if let zone { writer.member("local", zone.local(at: at).description) }
    writer.member("verdict", verdict.name)
    if let status { writer.member("status", status) }
    if !excerpt.isEmpty { writer.member("excerpt", excerpt) }
    if let duration { writer.member("milliseconds", duration.milliseconds) }
    if !reason.isEmpty { writer.member("reason", reason) }
    writer.endObject()
  }
}
