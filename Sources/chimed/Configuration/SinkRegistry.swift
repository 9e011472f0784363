import API
import Outbox
import Reminders
import Sinks
import Systemd

/// The running sinks, each with the settings that it was created from.
struct SinkRegistry: Sendable {
  fileprivate struct Entry: Sendable {
    /// The settings that the running sink was created from.
    var declared: DeliveryConfiguration.DeclaredSink
    var specification: SinkSpecification
    let sink: any Sink
    /// The readers of the requests that the sink's delivery service sends.
    let readers: SinkServiceReaders
    /// Why the sink could not be created with the settings of the last reload; nil if it was
    /// created.
    var fault: String?
  }

  private var entries: [Entry] = []

  /// Creates the sinks at the start of the service. A sink that cannot be created is reported and
  /// stays unavailable; the others run (rule S9).
  init(_ delivery: DeliveryConfiguration, in environment: SinkEnvironment) {
    for declared in delivery.sinks {
      let specification = declared.specification(credentials: environment.credentials)
      add(declared, specification, former: nil, environment)
    }
    reportUnavailable(to: environment.journal)
  }

  private init() {}

  static let empty = SinkRegistry()

  var sinks: [any Sink] { entries.map(\.sink) }

  var specifications: [SinkSpecification] { entries.map(\.specification) }

  /// The sinks that could not be created, each with the reason.
  var unavailable: [(sink: String, reason: String)] {
    sinks.compactMap { sink in sink.whyUnavailable.map { (sink.name, $0) } }
  }

  /// The sinks that continue with their former settings, each with the fault of the new ones.
  var outdated: [(sink: String, reason: String)] {
    entries.compactMap { entry in entry.fault.map { (entry.sink.name, $0) } }
  }

  /// Returns the configuration of the running sinks, with the given routes.
  func delivery(routes: Routes) -> DeliveryConfiguration {
    DeliveryConfiguration(sinks: entries.map(\.declared), routes: routes)
  }

  /// Returns the public key for the subscriptions of browsers. It is the key of the first running
  /// web push sink in the route of the channel push; nil if there is none.
  func pushKey(by routes: Routes) -> String? {
    let names = routes.sinks[.push] ?? []
    return names.lazy.compactMap { name in
      let sink = sinks.first { $0.name == name } as? PushSink<WebPushService>
      return sink?.service.publicKey
    }.first
  }

  /// The readers of delivery services' requests, by the names of the services' sinks.
  var serviceReaders: ServiceReaders {
    var readers = ServiceReaders()
    for entry in entries {
      let name = entry.sink.name
      readers.receipts[name] = entry.readers.receipts
      readers.replies[name] = entry.readers.replies.map {
        ServiceReaders.Replies(reader: $0, help: entry.declared.common.replies?.help)
      }
    }
    return readers
  }

  /// Returns a registry for another configuration: unchanged sinks stay, the others are created.
  ///
  /// If a sink cannot be created, the running sink of the same name continues with its former
  /// settings. If that sink does not exist or cannot serve the new routes, the new sink is
  /// unavailable (rule S9).
  ///
  /// - Parameter specifications: the specifications of the new sinks.
  func renewed(
    _ delivery: DeliveryConfiguration, _ specifications: [SinkSpecification],
    in environment: SinkEnvironment
  ) -> SinkRegistry {
    var registry = SinkRegistry()
    for (declared, specification) in zip(delivery.sinks, specifications) {
      let name = declared.common.name
      let current = entries.first { $0.sink.name == name }
      if let current, current.specification == specification {
        registry.entries.append(
          Entry(
            declared: declared, specification: specification, sink: current.sink,
            readers: current.readers))
      } else {
        let former = current.flatMap { $0.canContinue(with: delivery.routes) ? $0 : nil }
        registry.add(declared, specification, former: former, environment)
      }
    }
    return registry
  }

  /// - Parameter former: the running sink that continues if the new one cannot be created.
  private mutating func add(
    _ declared: DeliveryConfiguration.DeclaredSink, _ specification: SinkSpecification,
    former: Entry?, _ environment: SinkEnvironment
  ) {
    do {
      let readers = try declared.serviceReaders(credentials: environment.credentials)
      let sink = try declared.make(in: environment)
      entries.append(
        Entry(
          declared: declared, specification: specification, sink: sink, readers: readers))
    } catch {
      let reason = "\(error)".inOneLine
      if var former {
        former.fault = reason
        entries.append(former)
      } else {
        addUnavailable(declared, specification, reason)
      }
    }
  }

  private mutating func addUnavailable(
    _ declared: DeliveryConfiguration.DeclaredSink, _ specification: SinkSpecification,
    _ reason: String
  ) {
    let name = declared.common.name
    var specification = specification
    specification.isUnavailable = true
    entries.append(
      Entry(
        declared: declared, specification: specification,
        sink: UnavailableSink(name: name, type: declared.type, reason: reason),
        readers: SinkServiceReaders()))
  }

  func reportUnavailable(to journal: Journal) {
    for (sink, reason) in unavailable {
      journal.send(
        .sinkFailing,
        "the sink \(sink) is unavailable: \(reason); its deliveries wait or use the fallback, and "
          + "a reload tries again",
        fields: [(.sink, sink), (.reason, reason)])
    }
  }

  /// Stops the sinks that were created for a configuration that the engine has not adopted.
  func stopNewSinks(_ changes: SinkChanges) async {
    for sink in sinks where !changes.unchanged.contains(sink.name) { await sink.stop() }
  }
}

extension SinkRegistry.Entry {
  /// Returns whether the sink runs and can serve the new routes. A sink that does not accept
  /// analytics events cannot be in the route of analytics or outcomes.
  fileprivate func canContinue(with routes: Routes) -> Bool {
    let carriesAnalytics = [routes.analytics, routes.outcomes].contains(sink.name)
    return sink.whyUnavailable == nil && (declared.acceptsAnalytics || !carriesAnalytics)
  }
}
