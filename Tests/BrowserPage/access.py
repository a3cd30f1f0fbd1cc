# SPDX-License-Identifier: Apache-2.0
"""The page for someone who uses keys, hears it, or has a small screen."""

from odd_pages import WATCH_TEXTS

# Presses a key on an element; whether the page kept it from the browser.
KEEPS = """(() => {
  const event = new KeyboardEvent("keydown", { key: "%s", bubbles: true, cancelable: true });
  document.querySelector("%s").dispatchEvent(event);
  return event.defaultPrevented;
})()"""


class Access:
    def __init__(self, check):
        self.check = check
        self.page = check.page

    def all(self, document):
        self.keys_belong_to_graphs(document)
        self.actions_are_spoken(document)
        for width, height in ((390, 844), (360, 640)):
            self.figures_fit(document, width, height)
            self.marks_begin_with_their_words(document, width, height)

    def open(self, document, *screen):
        self.page.screen(*(screen or (1200, 900)))
        self.page.open(document)
        self.page.settle()

    def keys_belong_to_graphs(self, document):
        """Keys act on a graph only; everywhere else they scroll and press, as on any page."""
        self.open(document)
        page, check = self.page, self.check
        for key in (" ", "Home", "End", "PageDown", "PageUp", "ArrowRight", "Escape", "a", "u", "0"):
            for place in ("body", "summary", "#play", "#units"):
                check.that(not page.evaluate(KEEPS % (key, place)), f"{place} keeps {key!r} from the browser")
        check.that(page.evaluate("document.getElementById('clear').disabled"), "a key on no graph sets a cursor")
        for place in (".panel canvas", "#overview"):
            for key in (" ", " ", "Home", "End", "PageDown", "a", "u", "u", "0"):
                check.that(page.evaluate(KEEPS % (key, place)), f"{place} does not take {key!r}")
            check.that(not page.evaluate(KEEPS % ("Tab", place)), f"{place} is a trap")
        # A click gives a graph the keys.
        box = page.evaluate("(({ x, y }) => ({ x, y }))(document.querySelector('.panel canvas').getBoundingClientRect())")
        page.evaluate("document.activeElement.blur()")
        page.drag(box["x"] + 200, box["x"] + 200, box["y"] + 50)
        check.that(page.evaluate("document.activeElement.tagName") == "CANVAS", "a click does not give a graph the keys")
        check.quiet()

    def spoken(self):
        self.page.settle()
        return self.page.evaluate("document.getElementById('spoken').textContent")

    def actions_are_spoken(self, document):
        """Each action's result is put where a screen reader speaks it; the same result twice is spoken twice."""
        self.open(document)
        page, check = self.page, self.check
        check.that(page.evaluate("document.getElementById('spoken').ariaLive") == "polite", "nothing is spoken")
        press = [
            ("Home", False, "0.000 s: Acceleration x "), ("a", False, "A 0.000 s"), ("ArrowRight", False, "0.01"),
            ("b", False, "A 0.000, B 0.01"), ("u", False, "Units: m/s², rad/s"), ("u", False, "Units: g, °/s"),
            ("Escape", False, "Cursors A and B removed"), ("Escape", False, "There is no cursor"),
            ("+", False, "Showing 0.0"), ("0", False, "Showing 0.000 s to "), (".", False, "Speed 2×"),
            (",", False, "Speed 1×"), ("m", False, "Mark kerb </script>"), ("m", True, "No mark before"),
            ("g", False, ": gap of "), (" ", False, "Playing at 1×"), (" ", False, "Paused. "), ("End", False, " s: "),
            ("g", False, "No gap after"),
        ]
        for key, shift, words in press:
            check.key(key, shift)
            check.that(words in self.spoken(), f"{key!r}: not {words!r}, but {self.spoken()!r}")
        once = self.spoken()
        check.key("g")
        check.that(self.spoken() != once and self.spoken().strip() == once.strip(), "the same words are spoken once only")
        for button, words in (("set-a", "A "), ("set-b", "Δt"), ("clear", "removed"), ("closer", "Showing"),
                              ("whole", "Showing"), ("back", " s: "), ("save-csv", "Saved recording-1")):
            page.evaluate(f"document.getElementById('{button}').click()")
            check.that(words in self.spoken(), f"{button}: not {words!r}, but {self.spoken()!r}")
        check.quiet()

    def figures_fit(self, document, width, height):
        """The table of the part between the cursors is as wide as the phone, or says that it scrolls."""
        self.open(document, width, height, True)
        page, check = self.page, self.check
        check.key("Home")
        check.key("a")
        check.key("End")
        check.key("b")
        for unit in range(2):
            check.key("u")
            page.settle()
            room, wide = page.evaluate("(({ clientWidth, scrollWidth }) => [clientWidth, scrollWidth])"
                                       "(document.querySelector('#stretch .wide'))")
            check.that(0 < wide <= room, f"the table is {wide} wide where {room} are")
            check.that(page.evaluate("document.getElementById('more').hidden"), "a table that fits says it scrolls")
        page.evaluate("document.querySelector('#stretch h2').scrollIntoView()")
        check.shoot(f"figures-{width}")
        page.evaluate("document.querySelector('#stretch table').style.minWidth = '50rem'")
        page.screen(width, height - 1, True)
        page.evaluate("dispatchEvent(new Event('resize'))")
        check.key("u")
        page.settle()
        check.that(not page.evaluate("document.getElementById('more').hidden"), "a table that is cut has no hint")
        check.quiet()

    def marks_begin_with_their_words(self, document, width, height):
        """Words of marks are cut at their ends and not by the edge of a graph, and do not cover each other."""
        self.open(document, width, height, True)
        self.page.evaluate(WATCH_TEXTS)
        self.page.evaluate("document.getElementById('whole').click()")
        self.page.settle()
        words = sorted((left, right, text) for text, left, right, y, _ in self.page.evaluate("drawn") if y == 4)
        self.check.that(words and all(text.startswith("ke") for *_, text in words), f"words of marks: {words}")
        for left, right, text in words:
            self.check.that(left >= 58 and right <= width, f"{text!r} is from {left} to {right}")
        for one, two in zip(words, words[1:]):
            self.check.that(one[1] < two[0], f"{one} and {two}")
        self.check.quiet()
