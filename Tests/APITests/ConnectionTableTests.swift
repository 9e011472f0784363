import Testing

@testable import API

/// Rule H6: admission of connections at a listener, without sockets.
@Suite struct ConnectionTableTests {
  private static let start = ContinuousClock.now
  private let near = ConnectionPeer(name: "near", isAdministrator: false)
  private let far = ConnectionPeer(name: "far", isAdministrator: false)
  private let other = ConnectionPeer(name: "other", isAdministrator: false)
  private let administrator = ConnectionPeer(name: "user 0", isAdministrator: true)

  /// Admits at most six connections, the last two only for peers that have none. A peer may have
  /// three connections, an administrator four.
  private static var table: ConnectionTable<Int> {
    var limits = APILimits()
    limits.connections = 6
    limits.reservedConnections = 2
    limits.share = 3
    limits.administratorShare = 4
    limits.evictionGrace = .seconds(1)
    limits.opening = .seconds(10)
    limits.idle = .seconds(60)
    return ConnectionTable(limits: limits)
  }

  private func second(_ number: Int) -> ContinuousClock.Instant { Self.start + .seconds(number) }

  /// Opens connections, and begins a request on each of them.
  private func openBusy(
    _ ids: ClosedRange<Int>, of peer: ConnectionPeer, in table: inout ConnectionTable<Int>
  ) {
    for id in ids {
      #expect(table.admit(id, of: peer, at: second(0)) == .admitted(evicting: nil))
      #expect(table.requestBegins(on: id) == true)
    }
  }

  @Test func `H6: at its limit, a peer loses its longest idle connection`() {
    var table = Self.table
    for id in 1...3 { _ = table.admit(id, of: near, at: second(id)) }
    #expect(table.admit(4, of: near, at: second(4)) == .admitted(evicting: 1))
    #expect(table.requestBegins(on: 2) == true)
    #expect(table.admit(5, of: near, at: second(4)) == .admitted(evicting: 3))
    #expect(table.requestBegins(on: 1) == false)
    #expect(table.admit(6, of: far, at: second(4)) == .admitted(evicting: nil))
  }

  @Test func `H6: a peer at its limit with all connections busy is refused`() {
    var table = Self.table
    openBusy(1...3, of: near, in: &table)
    #expect(table.admit(4, of: near, at: second(9)) == .refused(.share))
    table.becomesIdle(2, at: second(9))
    #expect(table.admit(4, of: near, at: second(9)) == .admitted(evicting: 2))
  }

  @Test func `H6: the last connections are for peers that have none`() {
    var table = Self.table
    openBusy(1...2, of: near, in: &table)
    openBusy(3...4, of: far, in: &table)
    #expect(table.admit(5, of: near, at: second(9)) == .refused(.full))
    #expect(table.admit(5, of: other, at: second(9)) == .admitted(evicting: nil))
  }

  @Test func `H6: idle connections are closed to admit others, busy ones never`() {
    var table = Self.table
    openBusy(1...3, of: near, in: &table)
    openBusy(4...4, of: far, in: &table)
    table.becomesIdle(2, at: second(5))
    table.becomesIdle(4, at: second(4))
    #expect(table.admit(5, of: far, at: second(5)) == .admitted(evicting: 4))
    #expect(table.requestBegins(on: 5) == true)
    #expect(table.admit(6, of: far, at: second(5)) == .refused(.full))
    #expect(table.admit(6, of: far, at: second(6)) == .admitted(evicting: 2))
  }

  @Test func `H6: administrators wait instead of being refused`() {
    var table = Self.table
    openBusy(1...4, of: administrator, in: &table)
    #expect(table.admit(5, of: administrator, at: second(9)) == .wait)
    table.becomesIdle(3, at: second(9))
    #expect(table.admit(5, of: administrator, at: second(9)) == .wait)
    #expect(table.admit(5, of: administrator, at: second(10)) == .admitted(evicting: 3))
  }

  @Test func `H6: a connection does not count towards a peer's limit while it streams`() {
    var table = Self.table
    openBusy(1...3, of: near, in: &table)
    table.streamBegins(on: 1)
    #expect(table.admit(4, of: near, at: second(0)) == .admitted(evicting: nil))
    #expect(table.requestBegins(on: 4) == true)
    #expect(table.admit(5, of: near, at: second(100)) == .refused(.share))
    #expect(table.removeOverdue(at: second(1_000)).isEmpty)
    table.becomesIdle(1, at: second(1_000))
    #expect(table.admit(5, of: near, at: second(1_000)) == .admitted(evicting: 1))
    for id in 2...5 { table.remove(id) }
    #expect(table.isEmpty)
  }

  @Test func `H6: silent connections are closed, and new connections sooner than used ones`() {
    var table = Self.table
    for id in 1...3 { _ = table.admit(id, of: administrator, at: second(0)) }
    table.headBegins(on: 1)
    #expect(table.requestBegins(on: 2) == true)
    #expect(table.nextCheck(from: second(0)) == second(10))
    #expect(table.removeOverdue(at: second(9)).isEmpty)
    #expect(table.removeOverdue(at: second(10)).map(\.id) == [3])
    table.becomesIdle(2, at: second(20))
    #expect(table.nextCheck(from: second(20)) == second(80))
    #expect(table.removeOverdue(at: second(79)).isEmpty)
    let overdue = table.removeOverdue(at: second(80))
    #expect(overdue.map(\.id) == [2] && overdue.map(\.reason) == [.idle])
  }
}
