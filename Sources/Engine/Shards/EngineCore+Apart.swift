import CivilTime
import Reminders
import Store

extension EngineCore {
  /// Performs the requests that each need a separate unit of work: to adopt a configuration, and to
  /// acquire or release shards.
  ///
  /// - Parameter requests: the requests in order; each is removed when it is performed or refused.
  func performSeparately(_ requests: inout [Request], now: Instant) throws(StoreError) {
    while let request = requests.first {
      do throws(StoreError) {
        switch request {
        case .adopt(let configuration, let answer): try adopt(configuration, now: now, answer)
        case .acquire(let shards, let answer): answer(.success(try acquire(shards, now: now)))
        case .release(let shards, let answer): try release(shards, now: now, answer)
        default: break
        }
      } catch {
        guard error.isTemporary else { throw error }
        refuse(request, error)
      }
      requests.removeFirst()
    }
  }
}

extension Request {
  /// The recipient of the request; nil if it has none or several.
  var recipient: String? {
    switch self {
    case .write(let write, _): write.events.first?.recipient
    case .inboxWrite(let name, _, _), .test(let name, _, _, _): name
    default: nil
    }
  }

  /// Whether the request needs a separate unit of work.
  var needsSeparateUnit: Bool {
    switch self {
    case .adopt, .acquire, .release: true
    default: false
    }
  }
}
