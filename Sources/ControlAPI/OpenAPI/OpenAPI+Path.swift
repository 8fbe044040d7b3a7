import Conditioning
import Settings

// The shapes of a profile's path: as answers show it, and as calls may say it.
extension OpenAPI {
  static let pathSchemas = PathForm.allCases.flatMap(schemas)

  private enum PathForm: CaseIterable {
    case shown, defined

    func name(_ name: String) -> String { self == .shown ? name : "\(name)Definition" }
    func reference(_ name: String) -> Schema { .reference(self.name(name)) }

    /// Whatever needn't be there.
    func optional(_ members: [(String, Schema)]) -> [(String, Schema)] {
      self == .shown ? members : members.map { ($0.0, $0.1.orNull) }
    }

    func component(_ name: String, _ schema: Schema) -> (String, Schema) {
      (self.name(name), self == .shown ? schema : schema.orNull)
    }
  }

  private static func schemas(_ form: PathForm) -> [(String, Schema)] {
    [
      form.component("Path", path(form)), form.component("Timeline", timeline(form)),
      (form.name("TimelineStep"), step(form)),
      form.component(
        "StepPath",
        .object(
          "What differs from the profile's path; it can have another rate or queue than that, and not none.",
          optional: changeable(form), isClosed: form == .defined)),
      form.component("Trace", trace(form)), (form.name("Loss"), loss(form)), (form.name("BurstLoss"), bursts(form)),
      (form.name("NetemLoss"), netem(form)),
    ]
  }

  private static func path(_ form: PathForm) -> Schema {
    let description = "What all sessions under the profile share, per direction."
    let numbers = changeable(form) + form.optional([dnsLatency])
    let lasting =
      form.optional([
        (
          "congestion_control",
          .choice(CongestionControl.self, "Of the modelled senders at both ends; cubic when left out.")
        ),
        ("model", model(form)), ("model_note", .string(noteText(form))),
      ]) + [("timeline", form.reference("Timeline")), ("trace", form.reference("Trace"))]
    guard form == .shown else { return .object(description, optional: numbers + lasting, isClosed: true) }
    let always = ["latency_ms", "jitter_ms", "dns_latency_ms", "downstream_loss", "upstream_loss"]
    return .object(
      description, required: numbers.filter { always.contains($0.0) },
      optional: numbers.filter { !always.contains($0.0) } + lasting)
  }

  private static func noteText(_ form: PathForm) -> String {
    form == .shown
      ? "Why the model is `plain` without having been asked for; absent otherwise."
      : "Taken and forgotten, so that what GET gives can be put back: it can't be set."
  }

  private static func model(_ form: PathForm) -> Schema {
    let limit = "\(PathSpec.fastestModelled) bytes per second"
    return .choice(
      PathModel.self,
      form == .shown
        ? "That in force; absent where there is nothing to carry out."
        : "`tcp`: as real TCP over such a link, up to \(limit) of a direction, else plain; `plain`: delay and rate only."
    )
  }

  // MARK: What a step can change

  /// Nothing of it has to be there, in any form.
  private static func changeable(_ form: PathForm) -> [(String, Schema)] {
    let latencies = 0...PathSpec.maximumLatencyMilliseconds
    let numbers: [(String, Schema)] = [
      ("latency_ms", .number("Round trip added, half in each direction.", in: latencies)),
      (
        "jitter_ms",
        .number(
          "± on the round trip, half in each direction; at most `latency_ms`. See `jitter_distribution`.", in: latencies
        )
      ),
      (
        "jitter_distribution",
        .choice(JitterDistribution.self, "`uniform` when left out; `normal`: `jitter_ms` is the standard deviation.")
      ),
    ]
    return form.optional(numbers + Direction.allCases.map(rate)) + losses(form) + form.optional(queue(form))
  }

  private static func losses(_ form: PathForm) -> [(String, Schema)] {
    Direction.allCases.map { ("\($0)_loss", form.reference("Loss")) }
  }

  private static let dnsLatency = (
    "dns_latency_ms",
    Schema.number(
      "Added to the lookup of a name, for a client of a forward proxy.", in: 0...PathSpec.maximumDNSLatencyMilliseconds)
  )

  private static func rate(_ direction: Direction) -> (String, Schema) {
    (
      "\(direction)_bytes_per_second",
      .integer("Of IP packets; absent: no limit; 0: lets nothing through.", in: PathSpec.bytesPerSecond)
    )
  }

  private static func queue(_ form: PathForm) -> [(String, Schema)] {
    let rule = "Only beside a rate or a trace. Without a size: one round trip's worth, at least 65536 bytes."
    let milliseconds = Schema.number(
      "What waits for the rate at most, in each direction, as the time to send it; above 0. \(rule)",
      in: 0...QueueSpec.maximumMilliseconds)
    return [
      ("queue_ms", form == .shown ? milliseconds : milliseconds.aboveMinimum),
      ("queue_bytes", .integer("The same in bytes; not beside `queue_ms`.", in: QueueSpec.bytes)),
    ]
  }

  // MARK: Loss

  private static func loss(_ form: PathForm) -> Schema {
    let share = Schema.number("Share of packets, each by itself.", in: 0...1)
    return .anyOf(
      form.optional([("", share)]).map(\.1) + [form.reference("BurstLoss"), form.reference("NetemLoss")],
      "Loss of packets, which TCP repairs: it shows as time. 0 when left out.")
  }

  private static func bursts(_ form: PathForm) -> Schema {
    let loss = Schema.number("Share of packets in the long run, below 1.", in: 0...1)
    return .object(
      "Loss in bursts.",
      required: [
        ("loss", form == .shown ? loss : loss.belowMaximum),
        (
          "mean_burst_packets",
          .number("Packets lost in a row, on the average; at least loss/(1 - loss).", in: LossSpec.meanBurstPackets)
        ),
      ], isClosed: form == .defined)
  }

  private static func netem(_ form: PathForm) -> Schema {
    let chain: [(String, Schema)] = [
      ("p", .number("From the good state to the bad one, at each packet.", in: 0...1)),
      ("r", .number("From the bad state to the good one; above 0 as long as `p` is.", in: 0...1)),
    ]
    let losses: [(String, Schema)] = [
      ("1-h", .number("Loss in the bad state; 1 when left out.", in: 0...1)),
      ("1-k", .number("Loss in the good state; 0 when left out.", in: 0...1)),
    ]
    return .object(
      "Loss in bursts (Gilbert-Elliott), as netem's `gemodel` takes it.",
      required: form == .shown ? chain + losses : chain, optional: form == .shown ? [] : form.optional(losses),
      isClosed: form == .defined)
  }

  // MARK: What changes with time

  private static func timeline(_ form: PathForm) -> Schema {
    let steps = Schema.array(
      of: form.reference("TimelineStep"), atLeast: 1, atMost: TimelineSpec.maximumSteps, "One after the other.")
    let loop = ("loop", Schema.boolean("Over and over; otherwise, and when left out, the last step stays."))
    return .object(
      "A path that changes with time.", required: [("steps", steps)] + (form == .shown ? [loop] : []),
      optional: form == .shown ? [] : form.optional([loop]), isClosed: form == .defined)
  }

  private static func step(_ form: PathForm) -> Schema {
    let name = Schema.string(
      "What it stands for.", minLength: 1, maxLength: TimelineSpec.maximumNameLength, example: "tunnel")
    let duration = Schema.number("How long it lasts.", in: TimelineSpec.stepMilliseconds)
    let path = ("path", form.reference("StepPath"))
    return .object(
      required: [("name", name), ("for_ms", duration)] + (form == .shown ? [path] : []),
      optional: form == .shown ? [] : [path], isClosed: form == .defined)
  }

  private static func trace(_ form: PathForm) -> Schema {
    let times = Schema.array(
      of: .integer("", in: TraceSpec.milliseconds), atLeast: 1, atMost: TraceSpec.maximumOpportunities,
      "The milliseconds at which one packet of up to \(CapacityTrace.opportunityBytes) bytes can be delivered: not "
        + "falling, the last above 0, where the next round begins.")
    return .object(
      "Recorded capacity, as Mahimahi writes it down; instead of the rate of that direction. At least one of them.",
      optional: form.optional(Direction.allCases.map { ("\($0)_ms", times) }), isClosed: form == .defined)
  }
}
