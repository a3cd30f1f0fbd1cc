# SPDX-License-Identifier: Apache-2.0
"""Places of a Swift text that a mutation can change, and the text with a switch for each.

Swift is not parsed: comments and string literals are blanked, and what is left is matched by patterns, for which a text
that swift-format has formatted is regular enough. What does not compile after all, the compiler says.
"""
import collections
import re

# Operators of which each neighbours its mutation, the kind of that, and what declares a switch between the two.
FAMILIES = [
    (("<", "<=", ">", ">="), "comparison", "Comparison", "<T: Comparable>(a: T, b: T) -> Bool"),
    (("==", "!="), "comparison", "Comparison", "<T: Equatable>(a: T, b: T) -> Bool"),
    (("&&", "||"), "logic", "Logical", "(a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool"),
    (("+", "-"), "sign", "Addition", "<T: AdditiveArithmetic>(a: T, b: T) -> T"),
    (("&+", "&-"), "sign", "Addition", "<T: FixedWidthInteger>(a: T, b: T) -> T"),
    (("+=", "-="), "sign", "Assignment", "<T: AdditiveArithmetic>(a: inout T, b: T)"),
]
OPERATOR = re.compile(r"(?<=\s)(<=|>=|==|!=|&&|\|\||&\+|&-|\+=|-=|[<>+-])(?=\s|$)")
NUMBER = re.compile(r"(?<![\w$#])(?<!(?<!\.)\.)(0[xb][\dA-Fa-f_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:e[-+]?\d+)?)(?!\w)")
MINUS = re.compile(r"(?<=[\s(\[])-(?=[\w(])")
CALL = re.compile(r"(?<![@#\w])([A-Za-z_]\w*)\(")
LABEL = re.compile(r"\s*(?:\w+: )?")
CONDITION = re.compile(r"(?:^\s*|else |= |return )(if|guard) ")
BRACKETS = re.compile(r"\([^()\[\]{}]*\)|\[[^()\[\]{}]*\]")
# A call, or an assignment; brackets with what they hold are a §.
STATEMENT = re.compile(r"(?:try |await |_ = )*(?!(?:init|precondition|assert|super|self\.init)\b)"
                       r"(?:[\w§][\w.!?§]*[\w?]§$|[\w§][\w.!?§]* [-+*/%&|^<>]*= [^()\[\]{}]*$)")
DECLARATION = re.compile(r"\b(func|subscript|case|extension|struct|enum|class|protocol)\b|(?<![.\w])init\(")
# Calls that mean the same with their arguments swapped.
NO_SWAP = {"min", "max", "abs", "swap", "precondition", "assert"}
# No test in the same process sees these: what guards against a caller's mistake ends it, and memory that is kept is none.
UNSEEN = re.compile(r"\b(print|fatalError|precondition|preconditionFailure|assert|assertionFailure|reserveCapacity"
                    r"|deallocate|deinitialize)\(")
LARGEST = {2 ** bits - 1 for bits in (7, 8, 15, 16, 31, 32, 63, 64)}
OPEN_STRING = re.compile(r'(#*)("""|")')


class Place(collections.namedtuple("Place", "target path line start end kind before after text")):
    """One mutation: what stands at columns `start` to `end` of a line, and what the mutant has there."""

    @property
    def key(self):
        """What names it in the list of equivalent mutants: no line number, which changes with every edit."""
        return f"{self.path} | {self.text} | {self.kind} {self.before}→{self.after} |"

    def __str__(self):
        return f"{self.path}:{self.line} {self.kind}: {self.before} → {self.after or '(nothing)'}"


def masked(text):
    """The text, as long as it was, with blanks for comments and quotation marks for string literals."""
    out, i = list(text), 0
    while i < len(text):
        start, opening = i, OPEN_STRING.match(text, i)
        if text.startswith("//", i):
            i = (text + "\n").index("\n", i)
        elif text.startswith("/*", i):
            i = text.index("*/", i) + 2
        else:
            i = _string_end(text, opening) if opening else i + 1
        if opening or text[start:start + 2] in ("//", "/*"):
            out[start:i] = [c if c == "\n" else '"' if opening else " " for c in text[start:i]]
    return "".join(out)


def _string_end(text, opening):
    hashes, quote = opening.groups()
    i = opening.end()
    while not text.startswith(quote + hashes, i):
        if not text.startswith("\\" + hashes, i):
            i += 1
            continue
        i += 2 + len(hashes)
        depth = 1 if text[i - 1] == "(" else 0
        while depth:  # An interpolation.
            match = OPEN_STRING.match(text, i)
            depth += (text[i] == "(") - (text[i] == ")")
            i = _string_end(text, match) if match else i + 1
    return i + len(quote + hashes)


def find(target, path, text):
    """For each line that has any, its places."""
    codes, brackets, previous, conditions = masked(text).split("\n"), "", "", 0
    for index, (line, code) in enumerate(zip(text.split("\n"), codes)):
        stripped, start, end = code.strip(), len(code) - len(code.lstrip()), len(code.rstrip())
        conditions += stripped.startswith("#if") - stripped.startswith("#endif")
        if stripped and not conditions and stripped[0] not in "@#" and not UNSEEN.search(code):
            spans = [*_operators(code), *_numbers(code), *_swaps(line, code), *_negations(line, code)]
            following = next((c.strip() for c in codes[index + 1:] if c.strip()), "")
            if brackets[-1:] in ("", "{") and _is_statement(stripped, previous, following):
                spans.append((start, end, "dropped", line[start:end], ""))
            if spans:
                yield [Place(target, path, index + 1, *span, line.strip()) for span in spans]
        for c in code:
            brackets = brackets + c if c in "([{" else brackets[:-1] if c in ")]}" else brackets
        previous = stripped or previous


def _operators(code):
    for match in OPERATOR.finditer(code):
        op, start, end = match[1], match.start(), match.end()
        is_type = " where " in code[:start] and DECLARATION.search(code)
        is_text = op[0] == "+" and '"' in (code[start - 2:start - 1], code[end + 1:end + 2])
        family, kind, *_ = next(family for family in FAMILIES if op in family[0])
        if not is_type and not is_text and not re.search(r"\bfunc \W", code):
            partners = [family[family.index(op) ^ 1]] + [">"] * (op == "<")
            yield from ((start, end, kind, op, after) for after in partners)
    yield from ((match.start(), match.end(), "sign", "-", "") for match in MINUS.finditer(code))


def _numbers(code):
    # Not in patterns, raw values, attributes.
    pattern = re.match(r"\s*(indirect )?case [^:]*:?", code)
    for match in NUMBER.finditer(code):
        digits, is_decimal = match[1].replace("_", ""), match[1][:2] not in ("0x", "0b")
        value = int(digits, 0) if not is_decimal else int(digits) if digits.isdigit() else float(digits)
        # The largest number of a type has no successor there.
        after = value - 1 if value in LARGEST else value + 1
        if after != value and "@" not in code and not (pattern and match.start() < pattern.end()):
            yield match.start(), match.end(), "constant", match[1], str(after)


def _spans(code, start, stop):
    """Spans between commas from `start` to `stop`, outside of brackets; none when there is no `stop`."""
    spans, depth = [], 0
    for i in range(start, len(code)):
        if depth == 0 and code.startswith(stop, i):
            return spans + [(start, i)]
        if depth == 0 and code[i] == ",":
            spans, start = spans + [(start, i)], i + 1
        depth += (code[i] in "([{") - (code[i] in ")]}")
    return []


def _swaps(line, code):
    for match in CALL.finditer(code) if not DECLARATION.search(code) else ():
        spans = _spans(code, match.end(), ")")
        if len(spans) == 2 and match[1] not in NO_SWAP:
            (a, b), (c, d) = [(LABEL.match(code, begin, end).end(), end) for begin, end in spans]
            first, second = line[a:b], line[c:d]
            is_alike = first != second and first.startswith('"') == second.startswith('"')
            if is_alike and not any(re.match(r"&|try\b|await\b|$", v) or "{" in v for v in (first, second)):
                yield a, d, "swapped", line[a:d], second + line[b:c] + first


def _negations(line, code):
    for match in CONDITION.finditer(code):
        for begin, end in _spans(code, match.end(), " {" if match[1] == "if" else " else {"):
            begin += code[begin:begin + 1] == " "
            if not re.match(r"(let|var|case)\b|#|$", code[begin:end]):
                yield begin, end, "negated", line[begin:end], f"!({line[begin:end]})"


def _is_statement(code, previous, following):
    while BRACKETS.search(code):
        code = BRACKETS.sub("§", code)
    is_part = re.search(r"[=,(\[+\-*/&|?<>]$|\b(return|where)$", previous) or re.match(r"[.?:+\-*/&|<>=]", following)
    return STATEMENT.match(code) and not is_part


def switched(place, number, line):
    """The line with a switch for the mutation, and what must be declared for it in the place's module."""
    a, b, on, declaration = place.before, place.after, f"imulogMutant({number})", ""
    text = name = "⊙" + "".join("≤≥≠±∓×÷∗"[int(digit)] for digit in f"{number:o}")
    if place.kind == "constant":
        text = f"imulogConstant({number}, {a}, {b})"
    elif place.kind == "negated":
        text = f"imulogNegated({number}, {a})"
    elif place.kind == "dropped":
        text = f"if !{on} {{ {a} }}"
    elif place.kind == "swapped":
        (_, end), (begin, _) = _spans(masked(a) + "\n", 0, "\n")
        begin = LABEL.match(a, begin).end()
        text = f"({on} ? ({a[begin:]}) : ({a[:end]})){a[end:begin]}({on} ? ({a[:end]}) : ({a[begin:]}))"
    elif not b:
        declaration = (f"prefix operator {name}; @usableFromInline @inline(__always) "
                       f"prefix func {name} <T: SignedNumeric>(a: T) -> T {{ {on} ? a : -a }}")
    else:
        _, kind, group, signature = next(family for family in FAMILIES if a in family[0])
        group += {"&&": "Conjunction", "||": "Disjunction"}.get(a, "")
        value = f"try {on} ? (a {b} b()) : (a {a} b())" if kind == "logic" else f"{on} ? (a {b} b) : (a {a} b)"
        declaration = (f"infix operator {name}: {group}Precedence; @usableFromInline @inline(__always) "
                       f"func {name} {signature} {{ {value} }}")
    return line[:place.start] + text + line[place.end:], declaration
