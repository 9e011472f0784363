import CivilTime
import Fleet

/// The steps of the statements with which nodes manage the membership and the owners of shards.
extension ModelServer {
  func steps(for statement: FleetStatement) -> [ModelStep] {
    let work = ModelStep.take(world.milliseconds(0..<3))
    switch statement {
    case .join(let node, let name, _): return [work] + join(node, name) + [.commit]
    case .heartbeat(let node, let isDraining, _): return [work] + heartbeat(node, isDraining)
    case .look: return [work, .act { server, _ in .answer(.fleet(.view(server.view))) }]
    case .evict(let node, let reason, let lease): return [work] + evict(node, reason, lease)
    case .claim(let node, let shards, let limit): return [work] + claim(shards, limit, for: node)
    case .release(let node, let tenure): return [work] + release(tenure, of: node)
    case .resign(let node):
      return [work, .lock(.node(node), .exclusive)] + fence(node, .resigned, because: .own)
    }
  }

  private func join(_ node: Incarnation, _ name: String) -> [ModelStep] {
    let insert = ModelStep.act { server, session in
      let clock = server.clock
      session.staged.append {
        server.nodes[node] = Node(name: name)
        let isDrainRequested = server.drainedNames.contains(name)
        server.heartbeats[node] = Heartbeat(at: clock, isDraining: isDrainRequested)
      }
      return .answer(.fleet(.joined(database: clock)))
    }
    return [insert]
  }

  private func heartbeat(_ node: Incarnation, _ isDraining: Bool) -> [ModelStep] {
    let update = ModelStep.act { server, session in
      let clock = server.clock
      guard server.isMember(node) else {
        return .stop(.fleet(.heartbeat(isMember: false, database: clock)))
      }
      session.staged.append {
        server.heartbeats[node]?.at = clock
        server.heartbeats[node]?.isDraining = isDraining
      }
      return .answer(.fleet(.heartbeat(isMember: true, database: clock)))
    }
    return [.lock(.heartbeat(node), .exclusive), update, .commit]
  }

  /// Returns whether a node has joined and is not fenced.
  func isMember(_ node: Incarnation) -> Bool { nodes[node].map { !$0.isFenced } ?? false }

  private var view: FleetView {
    let sorted = nodes.keys.sorted()
    return FleetView(
      now: clock,
      nodes: sorted.map { node in
        FleetView.Node(
          incarnation: node, name: nodes[node]?.name ?? "",
          heartbeat: heartbeats[node]?.at ?? ModelClock.start,
          isDraining: heartbeats[node]?.isDraining ?? false,
          isFenced: nodes[node]?.isFenced ?? true, isConnected: isConnected(node),
          isDrainRequested: nodes[node].map { drainedNames.contains($0.name) } ?? false)
      },
      shards: shards.enumerated().map { shard, row in
        FleetView.Shard(tenure: Tenure(shard: shard, epoch: row.epoch), owner: row.owner)
      })
  }

  // MARK: - Eviction

  private func evict(
    _ node: Incarnation, _ reason: EvictionReason, _ lease: TimeSpan
  ) -> [ModelStep] {
    let terminate = ModelStep.act { server, _ in
      guard server.isMember(node), server.holds(reason, of: node, lease) else {
        return .stop(.fleet(.evicted(false)))
      }
      server.terminate(node)
      return .resume
    }
    // A node may have sent a heartbeat while the eviction waited for the node's transactions.
    let recheck = ModelStep.act { server, _ in
      server.holds(reason, of: node, lease) ? .resume : .stop(.fleet(.evicted(false)))
    }
    return [terminate, .lock(.node(node), .exclusive), recheck]
      + fence(node, .evicted(true), because: reason)
  }

  /// Returns whether the reason for evicting a node still exists.
  private func holds(_ reason: EvictionReason, of node: Incarnation, _ lease: TimeSpan) -> Bool {
    switch reason {
    case .own: true
    case .gone: !isConnected(node)
    case .silent: heartbeats[node].map { clock - $0.at >= lease } ?? true
    }
  }

  /// Returns the steps that fence a node and free its shards, after an exclusive lock of the node's
  /// row. Each transaction of a node has a shared lock on that row. So the exclusive lock waits for
  /// these transactions, and no further transaction of the node begins after it.
  private func fence(
    _ node: Incarnation, _ answer: FleetAnswer, because reason: EvictionReason
  ) -> [ModelStep] {
    let fence = ModelStep.act { server, session in
      guard server.isMember(node) else { return .stop(.fleet(answer)) }
      session.staged.append {
        server.judge.checkFencing(of: node, by: session.incarnation, reason)
        server.nodes[node]?.isFenced = true
      }
      let owned = server.shards.indices.filter { server.shards[$0].owner == node }
      return .first(owned.map { .lock(.shard($0), .exclusive) } + [server.free(owned, of: node)])
    }
    let end = ModelStep.act { _, _ in .answer(.fleet(answer)) }
    return [fence, end, .commit]
  }

  private func free(_ shards: [Int], of node: Incarnation) -> ModelStep {
    .act { server, session in
      session.staged.append {
        for shard in shards where server.shards[shard].owner == node { server.free(shard) }
      }
      return .resume
    }
  }

  private func free(_ shard: Int) {
    notify()
    shards[shard].owner = nil
    shards[shard].epoch += 1
  }

  // MARK: - Claiming and releasing

  private func claim(_ requested: [Int], _ limit: Int, for node: Incarnation) -> [ModelStep] {
    let take = ModelStep.act { server, session in
      guard server.isMember(node) else { return .stop(.fleet(.claimed([]))) }
      let free = requested.lazy.filter { shard in
        server.shards[shard].owner == nil
          && server.locks.tryAcquire(.shard(shard), .exclusive, by: session.number)
      }
      let taken = Array(free.prefix(limit))
      session.staged.append {
        for shard in taken {
          server.judge.checkClaim(of: shard, by: node, from: server.shards[shard])
          server.shards[shard].owner = node
        }
      }
      return .answer(
        .fleet(.claimed(taken.map { Tenure(shard: $0, epoch: server.shards[$0].epoch) })))
    }
    return [.lock(.node(node), .shared), take, .commit]
  }

  private func release(_ tenure: Tenure, of node: Incarnation) -> [ModelStep] {
    let free = ModelStep.act { server, session in
      let shard = server.shards[tenure.shard]
      guard server.isMember(node), shard.owner == node, shard.epoch == tenure.epoch else {
        return .stop(.fleet(.released(false)))
      }
      session.staged.append {
        server.judge.checkRelease(of: tenure, by: node)
        server.free(tenure.shard)
      }
      return .answer(.fleet(.released(true)))
    }
    return [
      .lock(.node(node), .exclusive), .lock(.shard(tenure.shard), .exclusive), free, .commit,
    ]
  }
}
