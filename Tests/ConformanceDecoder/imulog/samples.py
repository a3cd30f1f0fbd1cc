# SPDX-License-Identifier: Apache-2.0
"""The bit streams of samples chunks ("The samples body")."""

from collections import deque, namedtuple
from operator import mul

from .basics import FormatError, unfold, within_limit, wrap

FIXED_WEIGHTS = ((), (1,), (2, -1), (3, -3, 1))
TICK_LIMIT = 1 << 63

Predictor = namedtuple("Predictor", "method spacing offset weights shift")


class Bits:
    """A body as a string of "0" and "1", the highest bit first."""

    def __init__(self, body):
        ones = 1 << 8 * len(body)
        self._text = bin(ones | int.from_bytes(body, "big"))[3:]
        self._at = 0

    def text(self, count):
        """The next bits as they are; an error if there are fewer."""
        end = self._at + count
        if end > len(self._text):
            raise FormatError("a samples body ends within its bits")
        text = self._text[self._at:end]
        self._at = end
        return text

    def take(self, count):
        """The next bits, at least one, as an unsigned number."""
        return int(self.text(count), 2)

    def flag(self):
        """One bit."""
        return self.text(1) == "1"

    def zeros(self, limit):
        """The zeros in front of a one, which is passed over, or the limit.

        If there are as many zeros as the limit, no one is after them.
        """
        one = self._text.find("1", self._at, self._at + limit)
        if one < 0:
            self.text(limit)
            return limit
        zeros = one - self._at
        self._at = one + 1
        return zeros

    def rice(self, count, k, wide):
        """So many unsigned codes with parameter k ("Rice codes")."""
        limit, width = (12, 64) if wide else (20, 16)
        codes = []
        for _ in range(count):
            code = self.zeros(limit)
            if code == limit:
                length = self.take(6) + 1 if wide else 16
                code = self.take(length)
            elif k:
                code = (code << k | self.take(k)) % (1 << width)
            codes.append(code)
        return codes


class Wasted:
    """Paragraph "Numbers", without step and base."""

    def __init__(self, bits):
        self._bits = bits

    def value(self, number):
        return number << self._bits

    def number(self, value):
        return value >> self._bits


class Lattice:
    """Paragraph "Numbers", with step and base."""

    def __init__(self, precision, step, base):
        self._one, self._step, self._base = 1 << precision, step, base

    def value(self, number):
        return (number * self._step + self._base) // self._one

    def number(self, value):
        return ((value + 1) * self._one - 1 - self._base) // self._step


DENSE = Wasted(0)


class Stream:
    """A stream of values and its state within a page ("Streams")."""

    def __init__(self, width, recent):
        self._width = width
        self._wide = width == 64
        self._size_bits = 6 if self._wide else 4
        self._predictor = Predictor(2, DENSE, 0, (), 0)
        self._index = 5
        self._recent = deque(recent, 8)

    def decode(self, bits, count):
        """The stream's next values, at least one."""
        if bits.flag():
            self._predictor = self._head(bits)
        first = []
        if self._predictor.method == 0:
            values = [self._constant(bits)] * count
        else:
            if not self._recent:
                first = [self._whole_value(bits)]
                self._recent.extend(first)
            values = self._predicted(
                self._residuals(bits, count - len(first)))
        self._recent.extendleft(values[-8:])
        return first + values

    def _whole_value(self, bits):
        return wrap(bits.take(self._width), self._width)

    def _head(self, bits):
        """The table under "Streams", after its first bit."""
        method = bits.take(4)
        if method > (4 if self._wide else 12):
            raise FormatError(f"method {method} is not allowed")
        spacing, offset, weights, shift = DENSE, 0, (), 0
        if method:
            if bits.flag():
                spacing = self._spacing(bits)
            if bits.flag():
                length = bits.take(self._size_bits) + 1
                offset = unfold(bits.take(length))
        if method > 4:
            width = bits.take(4) + 1
            if width > 12:
                raise FormatError("weights have more than 12 bits")
            shift = bits.take(4)
            weights = tuple(wrap(bits.take(width), width)
                            for _ in range(method - 4))
        return Predictor(method, spacing, offset, weights, shift)

    def _spacing(self, bits):
        wasted = bits.take(self._size_bits)
        if wasted:
            return Wasted(wasted)
        if self._wide:
            raise FormatError("times have step and base")
        precision = bits.take(5)
        if precision > 24:
            raise FormatError("step and base have more than 24 bits after "
                              "the point")
        step, base = bits.take(6 + precision), bits.take(6 + precision)
        if step < 1 << precision:
            raise FormatError("a step is below 1")
        return Lattice(precision, step, base)

    def _constant(self, bits):
        """Paragraph "Constant"."""
        if bits.flag():
            return self._whole_value(bits)
        if not self._recent:
            raise FormatError("a constant repeats a value that is not there")
        return self._recent[0]

    def _residuals(self, bits, count):
        """Paragraphs "Partitions" to "Rice codes"."""
        size = count
        if count > 16:
            length = bits.take(3)
            if length == 7:
                raise FormatError("partitions of length 7 are not allowed")
            size = 16 << length
        residuals = []
        while len(residuals) < count:
            part = min(size, count - len(residuals))
            index = self._parameter_index(bits)
            if index == 0:
                residuals += [0] * part
            else:
                residuals += map(unfold,
                                 bits.rice(part, index - 1, self._wide))
        return residuals

    def _parameter_index(self, bits):
        """Paragraph "Parameter index"."""
        zeros = bits.zeros(15)
        if zeros == 15:
            self._index = bits.take(7)
        else:
            self._index += unfold(zeros)
        if not 0 <= self._index <= self._width:
            raise FormatError("a parameter index is out of its range")
        return self._index

    def _weights(self, known):
        """Weights and shift with so many values known ("Prediction").

        With no value known, the weight of the latest one has no effect.
        """
        predictor = self._predictor
        if predictor.method <= 4:
            return FIXED_WEIGHTS[min(predictor.method - 1, known)], 0
        if len(predictor.weights) <= known:
            return predictor.weights, predictor.shift
        return FIXED_WEIGHTS[1], 0

    def _predicted(self, residuals):
        """Paragraphs "Numbers" and "Prediction"; recent are numbers here."""
        spacing, offset = self._predictor.spacing, self._predictor.offset
        half = 1 << self._width - 1
        mask = 2 * half - 1
        recent = deque((wrap(spacing.number(value), self._width)
                        for value in self._recent), 8)
        values = []
        for residual in residuals:
            if len(values) <= 8:
                weights, shift = self._weights(len(recent))
            prediction = sum(map(mul, weights, recent)) >> shift
            number = (prediction + offset + residual + half & mask) - half
            values.append((spacing.value(number) + half & mask) - half)
            recent.appendleft(number)
        return values


class SamplesDecoder:
    """Decodes the samples chunks of one page, in their order."""

    def __init__(self, description, first_tick, first_time):
        self._description = description
        self._expected = first_tick
        self._count = None
        self._channels = None
        quotient = first_time // description.unit
        lateness = wrap(quotient - self._grid(first_tick), 64)
        self._times = Stream(64, [lateness])
        self._streams = [Stream(16, []) for _ in description.channels]

    def decode(self, body):
        """Samples as (tick, time, channels)."""
        bits = Bits(body)
        ticks, repeats = self._head(bits)
        unit = self._description.unit
        times = [within_limit(wrap(lateness + self._grid(tick), 64) * unit)
                 for tick, lateness
                 in zip(ticks, self._times.decode(bits, len(ticks)))]
        changes = repeats.count("0")
        new = iter(())
        if changes:
            new = zip(*[stream.decode(bits, changes)
                        for stream in self._streams])
        samples = []
        for tick, time, repeat in zip(ticks, times, repeats):
            if repeat == "0":
                self._channels = next(new)
            samples.append((tick, time, self._channels))
        return samples

    def _head(self, bits):
        """The table under "The samples body": ticks and repeat mask."""
        first = self._expected
        steps = repeats = None
        if bits.flag():
            if self._count is None:
                raise FormatError("the first samples of a page have no count")
        else:
            self._count = bits.take(10) + 1
            has_offset, has_steps, has_repeats = (
                bits.flag(), bits.flag(), bits.flag())
            if bits.take(2):
                raise FormatError("reserved bits are not 0")
            if has_offset:
                length = bits.take(6) + 1
                first += bits.take(length)
            if has_steps:
                parameter = bits.take(6)
                steps = bits.rice(self._count - 1, parameter, wide=True)
            if has_repeats:
                repeats = bits.text(self._count)
                if self._channels is None and repeats[0] == "1":
                    raise FormatError("a page's first sample is a repeat")
        ticks = [first]
        for step in steps or [0] * (self._count - 1):
            ticks.append(ticks[-1] + 1 + step)
        if ticks[-1] >= TICK_LIMIT:
            raise FormatError("a tick is not below 2^63")
        self._expected = ticks[-1] + 1
        return ticks, repeats or "0" * self._count

    def _grid(self, tick):
        """The tick's deadline in units ("Times")."""
        description = self._description
        deadline = (tick * 10 ** 9 * description.rate_seconds
                    // description.rate_ticks)
        return min(deadline, (1 << 62) - 1) // description.unit
