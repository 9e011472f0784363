import Access
import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// Who a person is to the service, and that somebody else has read what they are told.
struct RecipientRoutes: Sendable {
  let service: any ReminderService
  let views: TextViews
  let now: @Sendable () -> Instant

  private static let path = "/v1/recipients/{recipient}"

  var routes: [Route] {
    [
      Route(.get, Self.path, .recipient, answer: .recipient(show)),
      Route(.get, Self.path + "/events", .recipientEvents, answer: .recipient(events)),
      Route(
        .post, Self.path + "/text-views", .noteTextView, answer: .person(.support, noteTextView)),
    ]
  }

  private func show(_ call: Call, _ name: String) async throws -> Response {
    let recipient = try await service.known(name)
    let context = PlanningContext(facts: recipient.facts, planner: service.planner)
    let now = now()
    return Response { recipient.writeProfile(in: context, at: now, to: &$0) }
  }

  /// What was reported, the latest to arrive first.
  private func events(_ call: Call, _ name: String) async throws -> Response {
    let limit = min(try PageBounds.limit(call.parameters["limit"]), ExportPage.length)
    let start = try PageBounds.number(after: call.parameters["after"])
    let page: ExportPage?
    do {
      page = try await service.export(name, .events(from: start == 0 ? nil : start, atMost: limit))
    } catch {
      throw Problem(error)
    }
    guard let page else { throw Problem.unknown(recipient: name) }
    var next: Int64?
    if case .events(let place, _)? = page.next { next = place }
    return Response { writer in
      writer.beginObject()
      writer.key(constant: "events")
      writer.beginArray()
      for event in page.events { event.write(to: &writer) }
      writer.endArray()
      writer.member("next", next.map { .string("\($0)") } ?? .null)
      writer.endObject()
    }
  }

  /// Changes nothing; that it was asked for is kept, as of everything that support does.
  private func noteTextView(_ call: Call, _ name: String) async throws -> Response {
    _ = try await service.known(name)
    if let caller = call.caller { views.note(caller, of: name, at: now()) }
    return Response(status: .noContent)
  }
}

extension Recipient {
  fileprivate func writeProfile(
    in context: PlanningContext, at now: Instant, to writer: inout JSONWriter
  ) {
    let quietEnd = context.settings.quietHours.windowEnd(at: now, in: context.zone)
    writer.beginObject()
    writer.member("recipient", name)
    writer.member("created", facts.created.map { .string($0.time.description) } ?? .null)
    writer.member("now", now.description)
    writer.member("zone", context.zone.name)
    writer.member("zoneIsDefault", facts.zoneName == nil)
    writer.member("local", context.zone.local(at: now).description)
    writer.member("quietUntil", quietEnd.map { .string($0.description) } ?? .null)
    writer.key(constant: "profile")
    writer.beginObject()
    for register in facts.profile {
      guard let value = register.value else { continue }
      writer.key(register.field.name)
      writer.value(.string(value))
    }
    writer.endObject()
    writer.key(constant: "devices")
    writer.beginArray()
    for device in facts.devices { device.writeWithoutToken(to: &writer) }
    writer.endArray()
    writer.key(constant: "permissions")
    writer.beginObject()
    for channel in Channel.allCases {
      writer.key(channel.name)
      writer.value(facts.permission(of: channel).name)
    }
    writer.endObject()
    writer.endObject()
  }
}

extension Device {
  fileprivate func writeWithoutToken(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("deviceId", identifier)
    writer.member("platform", platform)
    writer.member("since", stamp.time.description)
    writer.endObject()
  }
}
