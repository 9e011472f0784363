import Access
package import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import Reminders

/// Erases all stored data of a recipient (rule H4).
struct ErasureRoutes: Sendable {
  let service: any ReminderService
  let now: @Sendable () -> Instant

  var routes: [Route] {
    [
      Route(.delete, "/v1/recipients/{recipient}", .erase, answer: .person(.administration, erase))
    ]
  }

  private func erase(_ call: Call, _ name: String) async throws -> Response {
    let recipient = try await service.recipient(named: name)
    let time = now()
    let event = Event(
      identifier: Event.newIdentifier(), source: "chimed", type: "recipient.deleted",
      recipient: recipient.name, time: time, isTimeGiven: false, content: .erasure)
    do {
      if case .refused(let problem) = EventAnswer.Result(try await service.submit([event]).first) {
        throw problem
      }
    } catch let error as ServiceUnavailable {
      throw Problem(error)
    }
    let status = try? await service.answer(StatusQuery())
    let isClean = status.map { $0.erasureOpen == nil } ?? false
    return Self.answer(recipient.name, at: time, isClean: isClean)
  }

  /// Responds 200 if no file contains data of the recipient, otherwise 202.
  private static func answer(
    _ recipient: String, at time: Instant, isClean: Bool
  ) -> Response {
    let erased = ErasedPayload.Value(recipient: recipient, time: time)
    guard !isClean else { return Response(ErasedPayload.self, erased) }
    return Response(RemainingPayload.self, erased, status: .accepted)
  }
}

package struct ErasedPayload: Payload {
  package struct Value {
    let recipient: String
    let time: Instant
  }

  package static let shape = PayloadShape(Self())

  package let recipient = Member("recipient", .recipient) { $0.recipient }
  package let erased = Member("erased", .instant) { $0.time }
}

package struct RemainingPayload: Payload {
  package typealias Value = ErasedPayload.Value
  package static let shape = PayloadShape(Self())

  package let erased = Members(ErasedPayload.self) { $0 }
  package let remains = Member("remains", .text) { _ in
    """
    the erasure is recorded; the data may remain in the store's files, \
    which are being cleaned: this takes a moment, and longer if the disk is full or another \
    program reads the store
    """
  }
}
