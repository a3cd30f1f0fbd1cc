import IMUModel

extension SensorDescription {
  /// A chip set up as configured; `configuration` must have been validated for the model.
  init(
    _ identity: SensorIdentity, _ configuration: SensorConfiguration, outputDataRate: Double,
    filter: String
  ) {
    let model = identity.model
    guard let acceleration = model.accelerometerScale(range: configuration.accelerometerRange),
      let rotation = model.gyroscopeScale(range: configuration.gyroscopeRange)
    else { preconditionFailure("the configuration was not validated") }
    self.init(
      model: model.name, identity: identity.identity, address: identity.address.rawValue,
      accelerometerRange: configuration.accelerometerRange,
      gyroscopeRange: configuration.gyroscopeRange, accelerometerScale: acceleration,
      gyroscopeScale: rotation, temperatureScale: model.temperature.scale,
      temperatureOffset: model.temperature.offset, outputDataRate: outputDataRate, filter: filter)
  }
}
