import Glibc
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// Why a connection could not be opened, in words that end a sentence.
struct OpeningFlaw: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }

  init(_ error: any Error) {
    description =
      switch error {
      case let flaw as OpeningFlaw: flaw.description
      case let error as NIOConnectionError: Self.words(error)
      case let error as IOError: String(cString: strerror(error.errnoCode))
      case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: Self.words(tls: "\(error)")
      case ChannelError.connectTimeout: "it did not answer in time"
      default: "the connection broke (\(type(of: error)))"
      }
  }

  private static func words(_ error: NIOConnectionError) -> String {
    if let first = error.connectionErrors.first { return OpeningFlaw(first.error).description }
    return error.dnsAError == nil && error.dnsAAAAError == nil
      ? "it did not answer in time" : "its name is not known; look at the name and at DNS"
  }

  private static func words(tls error: String) -> String {
    if error.contains("CERTIFICATE_VERIFY_FAILED") {
      return "its certificate is not one to be trusted; if it is a server of your own, give the "
        + "file of its authority as \"trust\""
    }
    if error.contains("ertificate") || error.contains("Hostname") {
      return "its certificate is for another name"
    }
    return "TLS fails"
  }
}
