import Cryptography
import Foundation
import Outbox

/// The proof that a request comes from Twilio: the header X-Twilio-Signature.
struct TwilioProof: Sendable {
  /// The account's auth token.
  let secret: Secret
  /// The address that Twilio calls, without a query.
  let url: String

  /// Checks the proof, and returns the form that the request contains.
  func form(of request: ServiceRequest) throws(ServiceRequestError) -> FormValues {
    guard let form = FormValues(request.body) else {
      throw .malformed("the body is not a form of percent-encoded UTF-8")
    }
    try check(form, request)
    return form
  }

  /// Checks the HMAC-SHA1 of the address and the form's parameters, sorted by name.
  private func check(_ form: FormValues, _ request: ServiceRequest) throws(ServiceRequestError) {
    let address = request.query.isEmpty ? url : "\(url)?\(request.query)"
    let signedText = address + form.pairs.sorted { $0.name < $1.name }.map(\.joined).joined()
    let signature = request.fields["x-twilio-signature"].flatMap { Data(base64Encoded: $0) }
    let code = MessageCode.sha1Code(of: Array(signedText.utf8), key: secret)
    guard let signature, ConstantTime.areEqual(signature, code) else {
      throw .forged(
        "the header X-Twilio-Signature does not sign this request; compare url and secret with "
          + "Twilio's settings")
    }
  }
}

extension FormValues.Pair {
  fileprivate var joined: String { name + value }
}
