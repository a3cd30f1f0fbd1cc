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
        "all of it with one of them, once all is here",
        before: ["000005 l"], after: ["000005 l", "000009 m"],
        with: { ($0.thenFree, $0.ids) = (true, [RecordingReference("5")]) },
        """
        < imulog-pull 1 free | > list | < recording 9 $m $m.n complete 200 $x | < recording 7 $b $b.n complete 150
        < recording 5 $l $l.n complete 200 $x | < end
        > labelled | < end
        > fetch $m 0 | < bytes $m.n | @ $m 0 $m.n | < whole $m.n $m.h complete
        > free $l $l.n $l.h | < freed
        > free $m $m.n $m.h | < freed
        = pump-1: recording 5 is here as 5, and in the trash there
        = pump-1: recording 9 is here as 9, $m.n bytes, and in the trash there
        = 2 offered, 1 here, 1 fetched, 2 freed
        """),
      PullCase(
        "nothing of it while one is not here", before: ["000005 l"],
        with: { $0.thenFree = true },
        """
        < imulog-pull 1 free | > list | < recording 9 $m $m.n complete 200 $x | < recording 5 $l $l.n complete 200 $x
        < end
        > labelled | < end
        > fetch $m 0 | < refused 74 Input/output error
        = pump-1: recording 9: Input/output error
        = pump-1: recording 5 is here as 5: it stays there: 1 of the take's 2 recordings is not here, or cannot be read
        = 2 offered, 1 here, 1 failed; status 74
        """),
      PullCase(
        "nothing of it where the other one cannot be read there, and says so",
        before: [], after: ["000005 l"],
        with: { ($0.thenFree, $0.ids) = (true, [RecordingReference("latest")]) },
        """
        < imulog-pull 1 free | > list | < unreadable 4 its header is damaged | < recording 5 $l $l.n complete 200 $x | < end
        > labelled | < end
        > fetch $l 0 | < bytes $l.n | @ $l 0 $l.n | < whole $l.n $l.h complete
        = pump-1: recording 5 is here as 5, $l.n bytes: it stays there: 1 of the take's 2 recordings is not here, or cannot be read
        = pump-1: recording 5 here: 1 of the take's 2 recordings is not here, or cannot be read
        = 1 offered, 1 fetched; status 65
        """),
      PullCase(
        "nothing of it from a machine that names no takes, while one is not here",
        before: [], after: ["000005 l"], with: { $0.thenFree = true },
        """
        < imulog-pull 1 free | > list | < recording 5 $l $l.n complete 200 | < end
        > labelled | < end
        > fetch $l 0 | < bytes $l.n | @ $l 0 $l.n | < whole $l.n $l.h complete
        = pump-1: recording 5 is here as 5, $l.n bytes: it stays there: 1 of the take's 2 recordings is not here, or cannot be read
        = 1 offered, 1 fetched; status 75
        """),
    ])
  func frees(_ pull: PullCase) throws { try pull.play() }
}
