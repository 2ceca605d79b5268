"""What all nodes share: model, parameters, messages, executor."""
