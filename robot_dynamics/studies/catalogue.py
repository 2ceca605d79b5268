"""All studies by name: what `robot-dynamics reproduce` knows."""

from robot_dynamics.studies import (
    arm_selection,
    counts,
    five_bar,
    four_bar,
    puma,
    straight_line,
    two_body,
)
from robot_dynamics.studies.report import Study

PAPERS = {'000': 'MohanSaha2007', '001': 'Angeles7', '002': 'SahaSchiehlen2001',
          '003': 'Mata2002', '004': 'Bhangale2004'}  # their numbers here, as in the figures' names

STUDIES: dict[str, Study] = {
    'puma-torques': Study('torques of the PUMA along (38): Figure 4', 'MohanSaha2007',
                          puma.torques),
    'puma-simulation': Study('forced simulation, recursive against non-recursive: Figures 5 to 8, '
                             'Table 3', 'MohanSaha2007', puma.forced),
    'puma-time': Study('CPU time of both: Figure 9', 'MohanSaha2007', puma.cpu_time),
    'forward-counts': Study('operations of forward dynamics: Table 1', 'MohanSaha2007',
                            counts.forward_counts),
    'inverse-counts': Study('operations of inverse dynamics: Tables 7.1 to 7.4', 'Angeles7',
                            counts.inverse_counts),
    'four-bar': Study('a four-bar linkage, free and forced: Figures 5 to 8', 'SahaSchiehlen2001',
                      four_bar.reproduce),
    'five-bar': Study('a five-bar manipulator, free and forced: Figures 10 to 13',
                      'SahaSchiehlen2001', five_bar.reproduce),
    'gibbs-appell-counts': Study('operations by Gibbs-Appell: Tables 1 to 4', 'Mata2002',
                                 counts.gibbs_appell_counts),
    'two-body': Study('the ill-conditioned arm in single precision: Figure 2, Table 5',
                      'Mata2002', two_body.run),
    'straight-line': Study('a PUMA on a straight line: Figures 3 and 4, Tables 6 and 7',
                           'Mata2002', straight_line.run),
    'gim-counts': Study('operations of GIM and MCI: Tables I and II, (14) to (18)',
                        'Bhangale2004', counts.gim_counts),
    'rtx-stanford': Study('torques of RTX and Stanford: Figure 6, Table V', 'Bhangale2004',
                          arm_selection.spatial),
    'planar-arms': Study('planar RP and PR arms: Table III', 'Bhangale2004',
                         arm_selection.planar),
}
