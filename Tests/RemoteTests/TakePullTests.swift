// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing
import TestSupport

@testable import Remote

@Suite("A pull of a take", .waitsForPrograms)
struct TakePullTests {
  @Test(
    "frees",
    arguments: [
      PullCase(
        "a take of several sensors, all of it with one of them, once it is here",
        before: ["000005 b"], after: ["000005 b", "000009 a"],
        with: { ($0.thenFree, $0.ids) = (true, [RecordingReference("5")]) },
        """
        < imulog-pull 1 free | > list | < recording 9 $a $a.n complete 200 $x | < recording 7 $r $r.n complete 150
        < recording 5 $b $b.n complete 200 $x | < end
        > labelled | < end
        > fetch $a 0 | < bytes $a.n | @ $a 0 $a.n | < whole $a.n $a.h complete
        > free $b $b.n $b.h | < freed
        > free $a $a.n $a.h | < freed
        = pump-1: recording 5 is here as 5, and in the trash there
        = pump-1: recording 9 is here as 9, $a.n bytes, and in the trash there
        = 2 offered, 1 here, 1 fetched, 2 freed
        """),
      PullCase(
        "nothing of a take that is not all here", before: ["000005 b"],
        with: { $0.thenFree = true },
        """
        < imulog-pull 1 free | > list | < recording 9 $a $a.n complete 200 $x | < recording 5 $b $b.n complete 200 $x
        < end
        > labelled | < end
        > fetch $a 0 | < refused 74 Input/output error
        = pump-1: recording 9: Input/output error
        = pump-1: recording 5 is here as 5: it stays there: not all of its take is here
        = 2 offered, 1 here, 1 failed; status 74
        """),
    ])
  func frees(_ pull: PullCase) throws { try pull.play() }
}
