import Access
import CivilTime
import Engine
import JSON
import Outbox
import Reminders
import Store

extension ServiceStatus {
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("version", Release.version)
    writer.member("now", now.description)
    writer.member("started", started.description)
    writer.member("recipients", recipients)
    writer.member("pending", pending)
    writer.member("due", due)
    writer.member("replanning", replanning)
    writer.member("deadLetters", deadLetters)
    writer.key(constant: "next")
    if let next { next.write(to: &writer) } else { writer.null() }
    writer.list("lanes", lanes) { $1.write(to: &$0) }
    writer.key(constant: "analytics")
    if let analytics { analytics.write(to: &writer) } else { writer.null() }
    routes.write(to: &writer)
    counters.write(to: &writer)
    writer.list("watchdog", parts) { $1.write(to: &$0) }
    writer.member("catalogs", .array(catalogs.map { .string($0) }))
    writer.member("zoneDatabase", zoneDatabase)
    writer.member("defaultZone", defaultZone)
    writer.member("dataWarnings", .array(dataWarnings.map { .string($0) }))
    writer.member("storeBytes", Int(storeSize))
    writer.key(constant: "fleet")
    if let fleet { fleet.writeSummary(to: &writer) } else { writer.null() }
    writer.member("storageFailure", orNull: storageFailure)
    writer.key(constant: "loss")
    if let loss { loss.write(to: &writer) } else { writer.null() }
    writer.member("erasureOpen", orNull: erasureOpen?.description)
    writer.member("clockHold", orNull: clockHold?.description)
    writer.member("clockLeap", orNull: clockLeap?.description)
    writer.member("reloadFailure", orNull: reloadFailure)
    writer.endObject()
  }
}

extension Routes {
  /// A member: of each channel that sinks carry, and of analytics, their names in order of
  /// fallback.
  fileprivate func write(to writer: inout JSONWriter) {
    writer.key(constant: "routes")
    writer.beginObject()
    for channel in Channel.allCases {
      guard let names = sinks[channel], !names.isEmpty else { continue }
      writer.key(channel.name)
      writer.beginArray()
      for name in names { writer.value(name) }
      writer.endArray()
    }
    if let analytics { writer.member("analytics", .array([.string(analytics)])) }
    writer.endObject()
  }
}

extension StoreLoss {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("events", Int(events))
    writer.member("notifications", Int(notifications))
    writer.member("since", orNull: since?.description)
    writer.member("until", orNull: until?.description)
    writer.endObject()
  }
}

extension ServiceStatus.Next {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("reminder", reminder)
    writer.member("recipients", recipients)
    writer.member("at", at.description)
    writer.endObject()
  }
}

extension ServiceStatus.Lane {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("sink", sink)
    writer.member("type", type)
    writer.member("paused", isPaused)
    writer.member("waiting", waiting)
    writer.member("inFlight", inFlight)
    writer.member("retrying", retrying)
    writer.member("deadLetters", deadLetters)
    writer.member("oldestWaiting", orNull: oldestWaiting?.description)
    writer.member("oldestRetry", orNull: oldestRetry?.description)
    writer.member("nextRetry", orNull: nextRetry?.description)
    writer.member("breaker", breaker.rawValue)
    writer.member("failingSince", orNull: failingSince?.description)
    writer.member("nextAttempt", orNull: nextAttempt?.description)
    writer.member("failure", orNull: failure)
    writer.key(constant: "lastFailure")
    if let lastFailure { lastFailure.write(to: &writer) } else { writer.null() }
    writer.key(constant: "answers")
    answers.write(to: &writer)
    answers.latency.write("latency", to: &writer)
    writer.key(constant: "lastHour")
    writer.beginObject()
    writer.member("delivered", delivered)
    writer.member("failed", failed)
    writer.endObject()
    writer.endObject()
  }
}

extension SinkFailure {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("at", at.description)
    writer.member("reason", reason)
    writer.endObject()
  }
}

extension ServiceStatus.Part {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("part", name)
    writer.member("age", age)
    writer.member("allowance", allowance)
    writer.member("vital", isVital)
    writer.endObject()
  }
}

extension LaneCounters {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("delivered", delivered)
    writer.member("retried", retried)
    writer.member("rejected", rejected)
    writer.member("outages", outages)
    writer.member("orphaned", orphaned)
    writer.member("setAside", setAside)
    writer.endObject()
  }
}

extension EngineCounters {
  /// Two members: what became of events, and how late recipients had their turn.
  fileprivate func write(to writer: inout JSONWriter) {
    writer.key(constant: "events")
    writer.beginObject()
    writer.member("accepted", accepted)
    writer.member("duplicate", duplicates)
    writer.member("refused", refused)
    writer.member("unanswered", unanswered)
    writer.endObject()
    lateness.write("lateness", to: &writer)
  }
}

extension Histogram {
  fileprivate func write(_ key: StaticString, to writer: inout JSONWriter) {
    writer.key(constant: key)
    writer.beginObject()
    writer.list("bounds", bounds) { $0.value($1) }
    writer.list("counts", counts) { $0.value($1) }
    writer.endObject()
  }
}

extension JSONWriter {
  fileprivate mutating func list<Element>(
    _ key: StaticString, _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
  ) {
    self.key(constant: key)
    beginArray()
    for element in elements { write(&self, element) }
    endArray()
  }

  fileprivate mutating func member(_ key: StaticString, orNull text: String?) {
    member(key, text.map { .string($0) } ?? .null)
  }
}

extension TokenRecord {
  /// - Parameter secret: the whole token; for its maker, once.
  func write(at now: Instant, secret: TokenSecret? = nil, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", identifier)
    writer.member("name", name)
    writer.member("scope", scope.text)
    writer.member("status", standing(at: now).name)
    writer.member("created", created.description)
    writer.member("expires", expiry.map { .string($0.description) } ?? .null)
    writer.member("revoked", revoked.map { .string($0.description) } ?? .null)
    writer.member("lastUsed", lastUse.map { .string($0.description) } ?? .null)
    if let secret { writer.member("token", secret.reveal()) }
    writer.endObject()
  }
}

extension TokenRecord.Standing {
  fileprivate var name: String {
    switch self {
    case .valid: "valid"
    case .expired: "expired"
    case .revoked: "revoked"
    }
  }
}
