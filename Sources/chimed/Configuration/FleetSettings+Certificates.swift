import API
import CivilTime
import TLS

extension FleetSettings.Forwarding {
  /// Reads the files, and looks whether other nodes would trust this one.
  func membership(now: Instant) throws(TLSMembershipFault) -> TLSMembership {
    try TLSMembership(
      TLSMembership.Files(certificate: certificate, key: key, authority: authority),
      at: listen.host, seconds: now.milliseconds / 1_000)
  }
}
