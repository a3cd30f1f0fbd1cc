extension RecorderConfiguration {
  /// The configuration file as it is installed: every key with its default and its meaning.
  public static let example = """
    # How the imulog service records. One KEY = VALUE a line; a # begins a comment. A key that is taken out has
    # the value it has here. `systemctl reload imulog` reads the file again, between two recordings.

    # The sensor: what `imulog boards` lists, N of /dev/i2c-N, and a chip such as mpu6050, lsm6dso or auto@0x69.
    board = auto
    bus = auto
    sensor = auto

    # A recording: hertz, and a time such as 60s or 1.5m, or until-stopped.
    rate = 10
    length = 60s
    # accel, gyro or both.
    channels = both
    # Full scales.
    accel-range = 4g
    gyro-range = 500dps
    # How often a recording is made durable: auto, a time such as 1s, or 0 for only at its end.
    sync-every = auto
    # How many microseconds a processor may take to wake up during a recording: auto (held from 50 Hz on, which costs
    # power), off, or a number.
    cpu-latency = auto
    # Words kept with each recording.
    note =
    # The directory of recordings. The service's unit lets it write to the usual one alone; for another one, such as a
    # USB stick's, add the lines [Service] and ReadWritePaths=DIR with `sudo systemctl edit imulog`.
    store = auto

    # What was sampled just before the press and goes in front of a recording.
    pre-trigger = 0s
    # sample; or sleep: nothing is sampled between recordings, which saves power, and nothing before a press.
    while-idle = sample

    # The button and the light: auto (the board's), none, a line's name such as GPIO17, or CHIPLABEL:OFFSET.
    button = auto
    # low: the button connects its line to ground; high: to 3.3 V.
    button-active = low
    light = auto
    # high: the line gives the light its current; low: the line takes it.
    light-active = high

    # Free space that is left alone: bytes, or with kB, MB, GB, KiB, MiB, GiB.
    reserve = 200MB
    # yes: the oldest recordings go when a new one would not fit.
    delete-oldest = no

    """
}
