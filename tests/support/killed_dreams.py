"""Files of an agent's dreams, of a process that dies while it writes one."""

from consolidation.dreams.dream_files import DreamFiles


class Killed(BaseException):
    """What stands for the end of the process."""


class KilledAt(DreamFiles):
    """One whose process dies right before or after a file is put in its place."""

    place = "after"

    def change(self, name, plan):
        if self.place == "after":
            super().change(name, plan)
        raise Killed
