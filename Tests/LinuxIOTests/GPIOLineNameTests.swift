// SPDX-License-Identifier: Apache-2.0

@testable import LinuxIO
import Testing

@Suite("The name of a GPIO line")
struct GPIOLineNameTests {
  @Test(
    "is looked for as it is written, then as kernels spell it",
    arguments: [
      ("GPIO17", ["GPIO17", "GPIO_17", "gpio17"]),
      ("gpio17", ["gpio17", "GPIO17", "GPIO_17"]),
      ("GPIO_17", ["GPIO_17", "GPIO17", "gpio17"]),
      ("17", ["17", "GPIO17", "GPIO_17", "gpio17"]),
      ("bcm-17", ["bcm-17", "GPIO17", "GPIO_17", "gpio17"]),
      ("GPIO4", ["GPIO4", "GPIO_GCLK", "GPIO_4", "gpio4"]),
      ("GPIO14", ["GPIO14", "TXD1", "TXD0", "GPIO_14", "gpio14"]),
      ("GPIO_GCLK", ["GPIO_GCLK", "GPIO4"]),
      ("sda1", ["sda1", "SDA1", "GPIO2"]),
      ("P9_12", ["P9_12", "P9.12"]),
      ("p9.12", ["p9.12", "P9_12", "P9.12"]),
      ("P8_3", ["P8_3", "P8_03", "P8.03", "P8.3"]),
      ("P8_03", ["P8_03", "P8_3", "P8.03", "P8.3"]),
      ("gpio1_a0", ["gpio1_a0", "GPIO1_A0"]),
      ("PAC.06", ["PAC.06"]),
      ("GPIO1234", ["GPIO1234"]),
      ("GPIO", ["GPIO"]),
      ("", [""]),
    ] as [(String, [String])])
  func spellings(name: String, expected: [String]) {
    #expect(GPIOLineName.spellings(of: name) == expected)
  }

  @Test("leads from each of a header line's names to every other")
  func both() {
    for number in 0...27 {
      let names = GPIOLineName.spellings(of: "GPIO\(number)")
      for name in names {
        #expect(GPIOLineName.spellings(of: name).contains("GPIO\(number)"), "\(name)")
      }
    }
  }

  @Test(
    "may have a second name in brackets, either of which means it",
    arguments: [
      ("pin-03 [GPIO1_A0]", "GPIO1_A0", true), ("pin-03 [GPIO1_A0]", "pin-03", true),
      ("pin-03 [GPIO1_A0]", "pin-03 [GPIO1_A0]", true), ("P9_19 [i2c2_scl]", "P9_19", true),
      ("P9_19[i2c2_scl]", "P9_19", true), ("pin-03 [GPIO1_A0]", "pin", false),
      ("pin-03 [GPIO1_A0]", "GPIO1_A", false), ("GPIO17", "GPIO1", false),
      ("", "", false), ("[]", "x", false), ("]", "]", true), ("GPIO17", "GPIO17", true),
    ])
  func brackets(kernelName: String, spelling: String, expected: Bool) {
    #expect(GPIOLineName.matches(kernelName, spelling) == expected)
  }
}

@Suite("A GPIO line as a person writes it")
struct GPIOLineSpecTests {
  @Test(
    "is a name, or a chip with a number after a colon",
    arguments: [
      ("GPIO17", .name("GPIO17")),
      ("pinctrl-bcm2711:17", .offset(chip: "pinctrl-bcm2711", 17)),
      ("gpio-brcmstb@107d508500:0", .offset(chip: "gpio-brcmstb@107d508500", 0)),
      ("a:b:3", .offset(chip: "a:b", 3)),
      ("PAC:06", .offset(chip: "PAC", 6)),
      (":17", .name(":17")), ("chip:", .name("chip:")), ("chip:x", .name("chip:x")),
      ("chip:-1", .name("chip:-1")), ("", .name("")),
      ("chip:99999999999999999999", .name("chip:99999999999999999999")),
    ] as [(String, GPIOLineSpec)])
  func parsing(text: String, expected: GPIOLineSpec) {
    #expect(GPIOLineSpec(text) == expected)
  }

  @Test("is written as it was read")
  func description() {
    for text in ["GPIO17", "pinctrl-rp1:17"] { #expect("\(GPIOLineSpec(text))" == text) }
  }
}
