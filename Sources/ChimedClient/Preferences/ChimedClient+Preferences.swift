internal import Foundation

extension ChimedClient {
  /// Returns the version in an ETag. A proxy that compresses answers makes the tag weak: `W/"17"`.
  static func version(of tag: String) -> Int64? {
    Int64(tag.trimmingPrefix("W/").filter { $0 != "\"" })
  }

  /// Reads a recipient's preferences.
  public func preferences(of recipient: String) async throws(ChimedError) -> ChimedPreferences {
    let path = Self.path(of: recipient, "preferences")
    let answer = try await retrying { () async throws(ChimedError) in try await reply("GET", path) }
    guard let tag = answer.headers["ETag"], let version = Self.version(of: tag) else {
      throw .unreadable("the ETag of the preferences is missing")
    }
    let document = try ChimedDocument.decode(ChimedValue.self, from: answer.body)
    return ChimedPreferences(version: version, document: document)
  }

  /// Returns the effects that changes of preferences would have; changes nothing.
  public func preview(
    _ changes: [ChimedSettingChange], of recipient: String
  ) async throws(ChimedError) -> ChimedEffects {
    try await retrying { () async throws(ChimedError) in
      try await patch(changes, of: recipient, query: "?dryRun=true")
    }
  }

  /// Changes a recipient's preferences: makes all of the changes, or none.
  ///
  /// The request is sent once, because a repetition could undo another app's change.
  ///
  /// - Parameter version: the version of the preferences that the changes are based on. If this
  ///   version is outdated, the service refuses the changes with status 412. With nil, the changes
  ///   apply to any version.
  public func change(
    _ changes: [ChimedSettingChange], of recipient: String, ifVersion version: Int64? = nil
  ) async throws(ChimedError) -> ChimedEffects {
    let headers = version.map { ["If-Match": "\"\($0)\""] } ?? [:]
    return try await patch(changes, of: recipient, headers: headers)
  }

  private func patch(
    _ changes: [ChimedSettingChange], of recipient: String, query: String = "",
    headers: [String: String] = [:]
  ) async throws(ChimedError) -> ChimedEffects {
    let body = try await request(
      "PATCH", Self.path(of: recipient, "preferences") + query,
      body: try ChimedDocument.encode(ChimedSettingChange.document(of: changes)), headers: headers)
    return try ChimedDocument.decode(ChimedEffects.self, from: body)
  }
}
