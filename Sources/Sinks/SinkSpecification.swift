import Cryptography
import Foundation
import Systemd

/// Everything that a sink is created from. Equal specifications can share one sink.
package struct SinkSpecification: Sendable {
  package let name: String
  private let common: SinkCommonSettings
  private let configuration: any SinkConfiguration
  /// The secrets, in the order of the credentials' names; nil for a secret that cannot be read.
  private let secrets: [Secret?]
  /// The contents of the configured files, and of the files in configured directories, by path.
  private let contents: [String: Data]
  /// Whether the sink could not be created. Such a specification never equals the specification of
  /// a running sink, so the next reload tries again.
  package var isUnavailable = false

  init(
    _ common: SinkCommonSettings, _ configuration: any SinkConfiguration, credentials: Credentials
  ) {
    name = common.name
    self.common = common
    self.configuration = configuration
    let names = configuration.credentialNames + common.serviceCredentialNames
    secrets = names.map { try? credentials.read($0) }
    contents = Self.contents(of: configuration.files)
  }

  /// Returns the contents of files, and of the files in directories, by path.
  private static func contents(of paths: [String]) -> [String: Data] {
    var contents: [String: Data] = [:]
    for path in paths {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
      for file in names.isEmpty ? [path] : names.map({ "\(path)/\($0)" }) {
        contents[file] = FileManager.default.contents(atPath: file)
      }
    }
    return contents
  }
}

extension SinkSpecification: Equatable {
  package static func == (left: SinkSpecification, right: SinkSpecification) -> Bool {
    left.common == right.common && left.isUnavailable == right.isUnavailable
      && left.secrets == right.secrets
      && left.contents == right.contents
      && left.configuration.isEqual(to: right.configuration)
  }
}

/// The changes of the sinks by a reload: lists of names, each in the order of the file.
package struct SinkChanges: Hashable, Sendable, CustomStringConvertible {
  package var unchanged: [String] = []
  package var changed: [String] = []
  package var added: [String] = []
  package var removed: [String] = []

  /// Compares the sinks. An unavailable sink counts as changed, because each reload tries to create
  /// it.
  package init(from old: [SinkSpecification], to new: [SinkSpecification]) {
    let previous = Dictionary(old.map { ($0.name, $0) }) { first, _ in first }
    for specification in new {
      switch previous[specification.name] {
      case nil: added.append(specification.name)
      case specification where !specification.isUnavailable: unchanged.append(specification.name)
      default: changed.append(specification.name)
      }
    }
    removed = old.map(\.name).filter { name in !new.contains { $0.name == name } }
  }

  /// A text such as "sinks: new push; changed mail; gone sms"; empty without a change.
  package var description: String {
    let parts = [("new", added), ("changed", changed), ("gone", removed)]
      .filter { !$0.1.isEmpty }.map { "\($0.0) \($0.1.joined(separator: ", "))" }
    return parts.isEmpty ? "" : "sinks: " + parts.joined(separator: "; ")
  }
}
