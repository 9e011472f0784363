import Access
import HTTPTypes
import HummingbirdCore

/// Serves the public key with which pages subscribe to web push (rule H20).
struct PushKeyRoute: Sendable {
  let key: CurrentPushKey

  static let path = "/v1/push-key"

  var route: Route { Route(.get, Self.path, .pushKey, answer: .caller(answer)) }

  private func answer(_ call: Call, _ caller: Caller) async throws -> Response {
    if caller.scope.recipient == nil { try caller.check(.support) }
    guard let key = key.value else { throw Self.noKey }
    return Response(PushKeyPayload.self, key)
  }

  private static let noKey = Problem(
    .noPushKey,
    "no sink of the type webpush runs for the channel push; configure one in sinks, and name it in "
      + "routes.push")
}

struct PushKeyPayload: Payload {
  typealias Value = String
  static let shape = PayloadShape(Self())

  let key = Member("key", .text, "The applicationServerKey of pushManager.subscribe, in base64url")
  {
    $0
  }
}
