import Testing

@testable import Settings

/// What toxics say of themselves is what is read.
@Suite struct ToxicDescriptionTests {
  @Test(arguments: ToxicType.allCases, [true, false])
  func everyAttributeIsDescribedAsItIsRead(_ type: ToxicType, _ isLenient: Bool) throws {
    let described = type.attributes(isLenient: isLenient)
    #expect(described.map(\.name) == ToxicAttributes.keys(of: type))
    let takesNone = (try? ToxicAttributes.read(type, from: fields([:]), limits: isLenient ? .classic : .native)) != nil
    #expect(described.contains(where: \.isRequired) != takesNone)
    for attribute in described {
      for value in inside(attribute) {
        #expect(accepts(value, attribute, type, isLenient), "\(attribute.name) \(value)")
      }
      for value in outside(attribute) {
        #expect(!accepts(value, attribute, type, isLenient), "\(attribute.name) \(value)")
      }
      #expect(accepts(attribute.example, attribute, type, isLenient), "\(attribute.name)")
    }
  }

  @Test(arguments: ToxicType.allCases)
  func whatIsAlwaysShownIsSaid(_ type: ToxicType) throws {
    let described = type.attributes(isLenient: true)
    let required = described.filter(\.isRequired).map { ($0.name, $0.example) }
    let least = try ToxicAttributes.read(type, from: fields(.object(JSONObject(required))), limits: .classic)
    let shown = least.json.objectValue?.members.map(\.key)
    #expect(shown == described.filter(\.isAlwaysShown).map(\.name))
  }

  @Test func triggersAreDescribedAsTheyAreRead() throws {
    #expect(TriggerSpec.descriptions.map(\.name) == TriggerSpec.keys)
    for trigger in TriggerSpec.descriptions {
      for value in inside(trigger) { _ = try TriggerSpec().merged(fields(.object([(trigger.name, value)]))) }
      for value in outside(trigger) {
        #expect(throws: SettingsError.self) { try TriggerSpec().merged(fields(.object([(trigger.name, value)]))) }
      }
    }
  }

  private func fields(_ json: JSON) throws -> Fields { try Fields(json, source: "") }

  private func accepts(_ value: JSON, _ attribute: AttributeDescription, _ type: ToxicType, _ isLenient: Bool) -> Bool {
    var object = JSONObject()
    for other in type.attributes(isLenient: isLenient) where other.isRequired { object[other.name] = other.example }
    object[attribute.name] = value
    // What values mean together has tests of its own.
    if value == "refuse" { object["probability"] = 1 }
    if attribute.name == "size_variation", !isLenient { object["average_size"] = 1_000_000_000 }
    let limits: AttributeLimits = isLenient ? .classic : .native
    return (try? ToxicAttributes.read(type, from: fields(.object(object)), limits: limits)) != nil
  }

  private func inside(_ attribute: AttributeDescription) -> [JSON] {
    switch attribute.kind {
    case .integer(let range): [.integer(range.lowerBound), .integer(range.upperBound)]
    case .number(let range): [.number(range.lowerBound), .number(range.upperBound)]
    case .choice(let values): values.map(JSON.string)
    }
  }

  private func outside(_ attribute: AttributeDescription) -> [JSON] {
    switch attribute.kind {
    case .integer(let range):
      [1.5, "1"] + (range.lowerBound == .min ? [] : [.integer(range.lowerBound - 1)])
        + (range.upperBound == .max ? [] : [.integer(range.upperBound + 1)])
    case .number(let range): ["1", .number(range.lowerBound.nextDown), .number(range.upperBound.nextUp)]
    case .choice: ["other", 1]
    }
  }
}
