import Systemd
import Testing

@Suite struct StatusBoardTests {
  @Test func `remarks precede the status, in the order in which their subjects arrived`() throws {
    let socket = try NotificationSocket()
    let board = StatusBoard(ServiceManager(socket: socket.name))
    board.show("2 pending")
    board.remark(on: "reload", "the reload was rejected")
    board.remark(on: "smtp", "smtp takes long to answer")
    board.show("3 pending")
    board.remark(on: "reload", "the second reload was rejected")
    #expect(board.remarks == ["the second reload was rejected", "smtp takes long to answer"])
    #expect(board.remark(on: "smtp") == "smtp takes long to answer")
    board.remark(on: "reload", nil)
    #expect(board.remark(on: "reload") == nil)
    board.remark(on: "nothing", nil)
    board.remark(on: "smtp", nil)
    #expect(
      socket.receiveAll()
        == [
          "2 pending", "the reload was rejected; 2 pending",
          "the reload was rejected; smtp takes long to answer; 2 pending",
          "the reload was rejected; smtp takes long to answer; 3 pending",
          "the second reload was rejected; smtp takes long to answer; 3 pending",
          "smtp takes long to answer; 3 pending", "3 pending",
        ].map { "STATUS=" + $0 })
  }

  @Test func `the lines of a remark are joined by semicolons`() throws {
    let socket = try NotificationSocket()
    let board = StatusBoard(ServiceManager(socket: socket.name))
    board.remark(on: "reload", "one fault\nanother")
    board.remark(on: "smtp", "smtp is slow")
    #expect(board.remark(on: "reload") == "one fault\nanother")
    #expect(socket.receiveAll().last == "STATUS=one fault; another; smtp is slow")
  }

  @Test func `a line that did not fit into the manager's queue is sent again`() throws {
    let socket = try NotificationSocket()
    let board = StatusBoard(ServiceManager(socket: socket.name))
    let last = 9_999
    for number in 0...last { board.show("\(number) pending") }
    let first = socket.receiveAll()
    #expect(first.first == "STATUS=0 pending" && first.last != "STATUS=\(last) pending")
    board.show("\(last) pending")
    board.show("\(last) pending")
    #expect(socket.receiveAll() == ["STATUS=\(last) pending"])
  }

  @Test func `a board without remarks and status sends an empty status`() throws {
    let socket = try NotificationSocket()
    let board = StatusBoard(ServiceManager(socket: socket.name))
    board.remark(on: "a", "b")
    board.remark(on: "a", nil)
    #expect(socket.receiveAll() == ["STATUS=b", "STATUS="])
    #expect(board.isRead && !StatusBoard(ServiceManager(socket: nil)).isRead)
  }
}
