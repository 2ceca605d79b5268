"""How soon nodes find each other again after one of them was killed.

DDS implementations have settings for that which only they can read, from a file that an
environment variable names. Without one of the user's own, config/fastdds.xml is it.
"""

import os
from pathlib import Path

from robot_dynamics.errors import InputError
from robot_dynamics.share import shared_file

PROFILES = 'FASTDDS_DEFAULT_PROFILES_FILE'
OLD_PROFILES = 'FASTRTPS_DEFAULT_PROFILES_FILE'  # of Fast DDS 2
OLD = ('humble', 'iron', 'jazzy')
FOUND_BY_ITSELF = 'DEFAULT_FASTDDS_PROFILES.xml'  # in the working directory
CHOSEN = (PROFILES, OLD_PROFILES, 'ROS_DISCOVERY_SERVER')


def find_each_other_quickly() -> None:
    """Let Fast DDS forget the dead soon and look often, unless the user has settings."""
    if ('fastrtps' not in os.environ.get('RMW_IMPLEMENTATION', 'rmw_fastrtps_cpp')
            or any(os.environ.get(name) for name in CHOSEN) or Path(FOUND_BY_ITSELF).exists()):
        return
    try:
        profile = shared_file('config/fastdds.xml')
    except InputError:  # installed without its data: discovery as it is by default
        return
    os.environ[OLD_PROFILES if os.environ.get('ROS_DISTRO') in OLD else PROFILES] = str(profile)
