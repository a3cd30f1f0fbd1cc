import ArgumentParser

@main
struct Imulog: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "imulog", abstract: "Records motion.")
}
