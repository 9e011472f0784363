import CivilTime
import Reminders
import Store

extension EngineCore {
  /// Does what has a unit of work of its own, in order: another configuration, shards that come and
  /// shards that go.
  ///
  /// - Parameter open: those requests, without an answer yet.
  func performApart(_ open: inout [Request], now: Instant) throws(StoreError) {
    while let request = open.first {
      do throws(StoreError) {
        switch request {
        case .adopt(let configuration, let answer): try adopt(configuration, now: now, answer)
        case .acquire(let shards, let answer): answer(.success(try acquire(shards, now: now)))
        case .release(let shards, let answer): try release(shards, now: now, answer)
        default: break
        }
      } catch {
        guard error.isPassing else { throw error }
        refuse(request, error)
      }
      open.removeFirst()
    }
  }

  /// Whether it is known that no other node has taken this one's place.
  var mayAct: Bool { trust?.holds ?? true }
}

extension Request {
  /// Whose it is; nil where it is of nobody or of several.
  var recipient: String? {
    switch self {
    case .write(let write, _): write.events.first?.recipient
    case .inboxWrite(let name, _, _), .test(let name, _, _, _): name
    default: nil
    }
  }

  /// Whether it has a unit of work of its own.
  var isApart: Bool {
    switch self {
    case .adopt, .acquire, .release: true
    default: false
    }
  }
}
