package import Outbox
package import Reminders
package import Systemd

/// The sinks and routes that a configuration file declares (rules D2, D4).
package struct DeliveryConfiguration: Sendable {
  /// A sink that the file declares. The sink itself is created by `make`.
  package struct DeclaredSink: Sendable {
    /// The settings that every type of sink has.
    package let common: SinkCommonSettings
    package let type: String
    /// The address data that the sink requires of a recipient; nil for none.
    package let requirement: Requirement?
    /// The settings of the sink's type.
    let configuration: any SinkConfiguration

    /// Whether the sink accepts analytics events.
    package var acceptsAnalytics: Bool { Swift.type(of: configuration).acceptsAnalytics }

    /// Whether the sink waits for another program or service, so that the key `deadline` has an
    /// effect.
    package var waitsForOthers: Bool { Swift.type(of: configuration).waitsForOthers }

    /// The names of the credentials that the sink uses.
    package var credentialNames: [String] {
      configuration.credentialNames + common.serviceCredentialNames
    }

    /// Checks everything that can be checked before the sink is created.
    package func check(credentials: Credentials) throws(SinkCreationError) {
      do {
        try configuration.check(credentials: credentials)
        _ = try serviceReaders(credentials: credentials)
      } catch {
        throw SinkCreationError(sink: common.name, cause: error)
      }
    }

    /// Returns the sink's specification with the current contents of its credentials.
    package func specification(credentials: Credentials) -> SinkSpecification {
      SinkSpecification(common, configuration, credentials: credentials)
    }

    /// Creates the readers of the requests that the sink's delivery service sends: receipts and
    /// replies.
    ///
    /// - Throws: the error of a secret that cannot be read.
    package func serviceReaders(credentials: Credentials) throws -> SinkServiceReaders {
      SinkServiceReaders(
        receipts: try common.receipts?.reader(credentials: credentials),
        replies: try common.replies?.reader(credentials: credentials))
    }

    package func make(in surroundings: SinkEnvironment) throws -> any Sink {
      try configuration.sink(common, in: surroundings)
    }
  }

  package var sinks: [DeclaredSink]
  package var routes: Routes

  package init(sinks: [DeclaredSink], routes: Routes) {
    self.sinks = sinks
    self.routes = routes
  }

  /// Creates a configuration of one sink, which is named after its type and serves every channel.
  package init<Configuration: SinkConfiguration>(single configuration: Configuration) {
    let name = Configuration.type
    let sink = DeclaredSink(
      common: SinkCommonSettings(name: name), type: name, requirement: Configuration.requirement,
      configuration: configuration)
    self.init(sinks: [sink], routes: Routes(allTo: name))
  }

  /// The limits of each sink, by name.
  package var limits: [String: SinkLimits] {
    Dictionary(
      sinks.map { sink in
        let common = sink.common
        let limits = SinkLimits(
          rate: common.rate, deadline: sink.waitsForOthers ? common.deadline : nil,
          concurrency: common.concurrency)
        return (common.name, limits)
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The address data that each channel requires of a recipient (rule D2). A channel has no
  /// requirement if its sinks have different ones.
  package var requirements: [Channel: Requirement] {
    var requirements: [Channel: Requirement] = [:]
    for (channel, names) in routes.sinks {
      let carriers = sinks.filter { names.contains($0.common.name) }
      // If the requirements of the sinks differ, each sink checks the recipient itself.
      guard let first = carriers.first?.requirement,
        carriers.allSatisfy({ $0.requirement == first })
      else { continue }
      requirements[channel] = first
    }
    return requirements
  }
}
