import JSON
import Outbox
import Reminders
import Sinks

/// A hostile push service for phones.
final class HostilePushService: HostilePeer {
  let serverFaults = ServerFault.allCases
  private let service: PushServicePeer.Service
  private let stage: PushStage
  private let phone: Device
  private var manners = JSONObject()

  init(_ service: PushServicePeer.Service) async throws {
    self.service = service
    stage = try await PushStage()
    phone = PushStage.device("phone", service == .apns ? "ios" : "android")
  }

  func sink(deadline: String) throws -> any Sink { try sink(["deadline": deadline]) }

  func distrustingSink() throws -> any Sink {
    try sink(["trust": TestCertificate.stranger.get().certificate])
  }

  func sink(to silent: SilentServer) throws -> any Sink {
    try sink(["endpoint": "https://localhost:\(silent.port)", "deadline": "500ms"])
  }

  private func sink(_ settings: [String: String]) throws -> any Sink {
    try service == .apns ? stage.apns(settings) : stage.fcm(settings)
  }

  func delivery(_ number: Int64, meeting fault: ServerFault?) async throws -> Delivery {
    let delivery = stage.delivery(number, to: phone)
    if let fault {
      manners[delivery.identifier] = Self.manner(fault)
      try await stage.peer.set("by_identifier", .object(manners))
    }
    return delivery
  }

  private static func manner(_ fault: ServerFault) -> JSONValue {
    switch fault {
    case .stall: ["do": "stall"]
    case .drip: ["do": "drip"]
    case .endless: ["do": "flood"]
    case .reset: ["do": "reset"]
    case .late: ["do": "late"]
    case .redirect: ["status": 307, "headers": ["location": "https://169.254.169.254/"]]
    }
  }

  var receivedCount: Int { get async throws { try await stage.peer.state.pushes.count } }
}
