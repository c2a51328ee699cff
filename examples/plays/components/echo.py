"""A component of our own: it says what it is given."""
from directord import components


class Component(components.ComponentBase):
    def __init__(self):
        super().__init__(desc="Say something")

    def args(self):
        super().args()
        self.parser.add_argument("words", nargs="+")

    def server(self, exec_array, data, arg_vars):
        super().server(exec_array=exec_array, data=data, arg_vars=arg_vars)
        data["words"] = " ".join(self.known_args.words)
        return data

    def client(self, cache, job):
        return job["words"], None, True, None
