"""Choose an arm.

Which of several arms is the simplest to compute, reaches farthest, is best conditioned?
`rd.select` measures them all, finds those that no other beats in everything, and chooses by your
weights: here the reach counts twice as much as an even inertia matrix. Candidates may be files,
DH tables, or hundreds of variants of one.
"""

import matplotlib
import numpy as np

import robot_dynamics as rd

matplotlib.use('Agg')
import matplotlib.pyplot as plt

rod = rd.DHRow(a=1.0, b=0, alpha=0, theta=0, mass=2.0, com=[-0.5, 0, 0],
               inertia=np.diag([1e-3, 0.17, 0.17]), lower=-2.5, upper=2.5)
arm = rd.Robot.from_dh([rod, rod], name='equal', gravity=(0, -9.81, 0))
ratios = np.linspace(0.4, 1.6, 13)  # of the first link's length; both together are 2 m long
arms = {f'{r:.1f} m first': arm.variants(a=[[r, 2 - r]])[0] for r in ratios}

found = rd.select(arms, criteria=['workspace', 'condition'],
                  weights={'workspace': 2.0, 'condition': 1.0}, samples=256)
print('chosen:', found.chosen)
print('no other beats:', ', '.join(found.front))
for reason in found.reasons:
    print(' ', reason)
assert found.chosen in found.front

figure, left = plt.subplots(figsize=(7, 4), layout='constrained')
left.plot(ratios, found.columns['workspace'], 'o-', color='tab:blue', label='workspace')
left.set(xlabel='length of the first link [m]', ylabel='workspace [m²]',
         title=f'chosen: {found.chosen}')
right = left.twinx()
right.semilogy(ratios, found.columns['condition'], 's--', color='tab:orange', label='condition')
right.set_ylabel('condition of the inertia matrix')
figure.legend(loc='outside upper right', ncols=2)
figure.savefig('choosing_an_arm.png', dpi=110)
