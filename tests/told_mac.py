"""A connection to a shared medium with prescribed behaviour: each frame takes a given time, and some are given up."""

from __future__ import annotations

from netsim.ethernet import Mac, Segment, SegmentSpec

SEGMENT = SegmentSpec.from_name("10base2")


class ToldMac(Mac):
    """Records each frame and when it is handed over, and calls back `duration` ps later; gives up the first `fails`."""

    def __init__(self, env, duration, fails=0):
        super().__init__(Segment(env, SEGMENT, "segment"), "told", 0, 0)
        self.env = env
        self.duration = duration
        self.fails = fails
        self.log = []  # for each frame: when it was handed over (ps), and its size
        self.sending = False

    def put(self, frame, done):
        assert not self.sending
        self.sending = True
        self.log.append((self.env.now, frame.size))
        sent = self.fails < len(self.log)
        self.env.call_in(self.duration, self._gone, (frame, done, sent))

    def _gone(self, what):
        frame, done, sent = what
        self.sending = False
        done(frame, sent)

    @property
    def times(self):
        return [time for time, _ in self.log]

    @property
    def sizes(self):
        return [size for _, size in self.log]
