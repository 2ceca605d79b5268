"""The error that ends a motion where it is, with what there is of it."""


class BlowUpError(ArithmeticError):
    """The equations of motion have no finite answer at a state."""
