/// A link's stages, in order.
///
/// Most links under a modelled network have that one stage alone. It lies here in place: an array for each link of idle
/// sessions would be a tenth of what these take.
struct LinkStages {
  private enum Storage {
    /// The first of the plan, and the only one in force.
    case network(TCPStage)
    case any([Link.Stage])
  }

  private var storage = Storage.any([])

  mutating func append(_ stage: Link.Stage) {
    if isEmpty, stage.planIndex == 0, let network = stage.toxic as? TCPStage {
      storage = .network(network)
    } else {
      storage = .any(array + [stage])
    }
  }

  /// A copy, to be taken out of here and changed one by one.
  var array: [Link.Stage] {
    switch storage {
    case .network(let stage): [Link.Stage(planIndex: 0, toxic: stage)]
    case .any(let stages): stages
    }
  }
}

extension LinkStages {
  var isEmpty: Bool { count == 0 }
  /// Whether there is no array.
  var isInPlace: Bool { if case .network = storage { true } else { isEmpty } }
  var indices: Range<Int> { 0..<count }

  var count: Int {
    switch storage {
    case .network: 1
    case .any(let stages): stages.count
    }
  }

  /// For looking only; see ``change(_:_:)``.
  subscript(index: Int) -> Link.Stage {
    switch storage {
    case .network(let stage): Link.Stage(planIndex: 0, toxic: stage)
    case .any(let stages): stages[index]
    }
  }

  func contains(where isWanted: (any Toxic) -> Bool) -> Bool {
    for index in indices where isWanted(self[index].toxic) { return true }
    return false
  }

  /// Tells a stage's toxic something, in place. It stays of its kind: to replace it takes a new value of this type.
  ///
  /// By a closure and not by `_modify`, whose frame would be an allocation at each call.
  mutating func change<Result>(_ index: Int, _ body: (inout any Toxic) -> Result) -> Result {
    switch storage {
    case .network(let stage):
      // What changes is the connection that it refers to.
      var toxic: any Toxic = stage
      return body(&toxic)
    case .any(var stages):
      // There is one reference to the array meanwhile, so that nothing is copied.
      storage = .any([])
      defer { storage = .any(stages) }
      return body(&stages[index].toxic)
    }
  }
}
