import CivilTime
import Fleet

/// The two requests of an engine cycle. The process may hang between them.
extension ModelServer {
  /// Returns the steps that begin a transaction. They check that the node is not fenced and owns
  /// the shards, and look up which events are already ingested.
  func steps(
    beginning turn: ModelTurn, as node: Incarnation, needsBlock: Bool
  ) -> [ModelStep] {
    let shards = turn.shards.sorted()
    let fence = ModelStep.act { server, _ in
      server.isMember(node) ? .resume : .stop(.begun(.fenced))
    }
    let checkOwner = ModelStep.act { server, _ in
      let foreign = shards.filter { server.shards[$0].owner != node }
      return foreign.isEmpty ? .resume : .stop(.begun(.notOwn(Set(foreign))))
    }
    let lookUp = ModelStep.act { server, _ in
      let known = turn.events.filter { server.rows[$0.event.shard].events.contains($0.event.id) }
      return .answer(
        .begun(
          .done(
            known: Set(known.map(\.event.id)), block: needsBlock ? server.nextBlock() : nil)))
    }
    return [.lock(.node(node), .shared), fence, checkOwner, lookUp]
  }

  /// Returns the steps that write changes and commit.
  ///
  /// - Parameters:
  ///   - versions: the versions of the shards' rows in the engine's memory.
  ///   - span: the time that the transaction takes.
  func steps(
    writing changes: [Int: [ModelChange]], as node: Incarnation, versions: [Int: Int],
    taking span: TimeSpan
  ) -> [ModelStep] {
    let write = ModelStep.act { server, session in
      session.staged.append {
        for (shard, changes) in changes.sorted(by: { $0.key < $1.key }) {
          server.judge.checkWrite(to: shard, changes, by: node, knowing: versions[shard])
          server.rows[shard].apply(changes)
        }
      }
      return .answer(.written)
    }
    return [.take(span), write, .take(world.milliseconds(0..<4)), .commit]
  }

  /// Returns the steps that read the rows of shards, and reserve ids above all existing ids.
  func steps(loading shards: [Int]) -> [ModelStep] {
    let read = ModelStep.act { server, _ in
      let rows = shards.map { ($0, server.rows[$0]) }
      return .answer(
        .rows(Dictionary(uniqueKeysWithValues: rows), block: server.nextBlock()))
    }
    return [.take(world.milliseconds(1..<30)), read]
  }
}
