// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Calibration

/// Quantiles are those of SciPy: `scipy.stats.t.ppf(1 - 0.05 / 6, freedom)`, for one of three axes in one of twenty cases.
@Suite("Bounds of 95 of 100 cases")
struct ErrorBoundTests {
  @Test("many residuals are believed alone, and a bound is Student's of their number")
  func student() {
    for (spare, quantile) in [(14, 2.7178), (104, 2.4333), (504, 2.4024)] {
      // Far above the usual: a standard deviation of 2.
      let bound = ErrorBound(squares: 4 * Double(spare), spare: spare, usual: 0.001)
      let found = bound.bound(0.25)
      #expect(abs(found / (2 * 0.5 * quantile) - 1) < 0.01, "\(spare): \(found)")
    }
  }

  @Test("three residuals are believed alone too, within the 4 % that the series is good to")
  func few() {
    let found = ErrorBound(squares: 12, spare: 3, usual: 0.001).bound(1)
    #expect(abs(found / (2 * 4.8567) - 1) < 0.04, "\(found)")
  }

  @Test("without residuals the usual counts as four, and small ones make it no less than theirs")
  func usual() {
    let none = ErrorBound(squares: 0, spare: 0, usual: 3).bound(1)
    #expect(abs(none / (3 * 3.9608) - 1) < 0.02, "\(none)")
    // Of two residuals that are 0 four of six are left.
    let quiet = ErrorBound(squares: 0, spare: 2, usual: 3).bound(1)
    #expect(quiet < none && quiet > none / 2, "\(quiet)")
    // Two that are large are not believed alone: 4.30 times 30 would be 4.85 and more.
    let loud = ErrorBound(squares: 2 * 30 * 30, spare: 2, usual: 3).bound(1)
    #expect(loud > none && loud < 4.8567 * 30, "\(loud)")
    // More unknowns than residuals.
    #expect(ErrorBound(squares: 0, spare: -2, usual: 3).bound(1) == none)
  }

  @Test("errors of another cause add as their squares")
  func others() {
    let bound = ErrorBound(squares: 0, spare: 0, usual: 0.5)
    let (own, both) = (bound.bound(0.04), bound.bound(0.04, others: 0.09))
    #expect(abs(both * both - own * own - 2.394 * 2.394 * 0.09) < 1e-9)
    #expect(abs(bound.bound(0, others: 0.09) - 2.394 * 0.3) < 1e-9)
  }
}
