import Access
import HTTPTypes
import HummingbirdCore

/// Finds out who makes a request (rule H1).
struct Authenticator: Sendable {
  let access: APIAccess

  func caller(of request: Request, from origin: ConnectionOrigin) throws(Problem) -> Caller {
    switch origin {
    case .local(let peer): try local(peer)
    }
  }

  private func local(_ peer: PeerCredentials?) throws(Problem) -> Caller {
    guard let peer else {
      throw Problem(.forbidden, "the system does not say who you are; connect in another way")
    }
    guard access.local.isAdministrator(peer) else {
      throw Problem(.forbidden, access.local.refusal(of: peer))
    }
    return Caller(scope: .administrator, isLocal: true)
  }
}
