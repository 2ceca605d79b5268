"""Draws the benchmark: cost against the number of links, log-log, with the peers."""

from typing import Any


def draw(report: dict[str, Any], path: str) -> None:
    """Write the plot."""
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot

    chains = report['chains']
    lengths = sorted(chains, key=int)
    names = [entry['function'] for entry in chains[lengths[0]]]
    figure, axes = pyplot.subplots(1, len(names), figsize=(6 * len(names), 5), squeeze=False)
    for k, (axis, name) in enumerate(zip(axes[0], names, strict=True)):
        labels = list(dict.fromkeys(
            label for n in lengths for label in chains[n][k]['times']))
        for label in labels:
            points = [(int(n), chains[n][k]['times'][label]['median_us']) for n in lengths
                      if label in chains[n][k]['times']]
            theirs = label.startswith(('pinocchio', 'mujoco'))
            axis.loglog(*zip(*points, strict=True), '--' if theirs else '-', marker='.',
                        label=label if theirs else f'ours: {label}')
        axis.set_xlabel('links n')
        axis.set_ylabel('microseconds per evaluation')
        axis.set_title(name.replace('_', ' '))
        axis.grid(True, which='both', alpha=0.3)
        axis.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)
