import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Store

/// Shows the nodes of a store with their shards, and drains nodes.
struct FleetRoutes: Sendable {
  let service: any ReminderService

  var routes: [Route] {
    [
      Route(.get, "/v1/fleet", .fleet, answer: .observer(show)),
      Route(
        .post, "/v1/fleet/nodes/{node}/drain", .drainNode,
        answer: .administrator { try await setDraining(true, $0) }),
      Route(
        .post, "/v1/fleet/nodes/{node}/undrain", .undrainNode,
        answer: .administrator { try await setDraining(false, $0) }),
    ]
  }

  private func show(_ call: Call) async throws -> Response {
    guard let fleet = try await service.result(of: FleetQuery()) else { throw Problem.noFleet }
    return Response(FleetPayload.self, fleet)
  }

  private func setDraining(_ isDraining: Bool, _ call: Call) async throws -> Response {
    let name = call.segments[0]
    let decision: DrainDecision?
    do {
      decision = try await service.setDraining(isDraining, node: name)
    } catch {
      throw Problem(error)
    }
    guard let decision else { throw Problem.noFleet }
    guard case .write(let nodeName, let node) = decision else { throw Problem(decision, of: name) }
    call.audit.setSubject(
      ([nodeName] + (node.map { [$0.identifier] } ?? [])).joined(separator: " "))
    return Response(DrainingPayload.self, (nodeName, node, isDraining))
  }
}

extension Problem {
  static let noFleet = Problem(
    .noFleet,
    "the service has its store in a file, which only one process can use; a "
      + "fleet needs a store in PostgreSQL, see chimed-fleet(7)")

  /// - Parameter decision: the reason why nothing was written.
  fileprivate init(_ decision: DrainDecision, of name: String) {
    switch decision {
    case .ambiguous(let nodes):
      let nodeName = nodes.first?.name ?? name
      self.init(
        .undrainable,
        "\(nodes.count) nodes have the name \"\(nodeName.shortened)\", and all would be drained; "
          + "give each its own name with fleet: name")
    case .last(let node):
      self.init(
        .undrainable,
        "no other node can take the shards of \(node.name): start another node first, undrain "
          + "one, or correct its clock")
    case .unknown, .write:
      self.init(
        .unknownNode,
        "there is no node \"\(name.shortened)\" in the fleet; GET /v1/fleet lists them")
    }
  }
}
