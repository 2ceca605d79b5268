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
OLD = ('jazzy',)  # with Fast DDS 2
TOO_OLD = ('humble', 'iron')  # with one that would not read our file
TRANSPORTS = 'FASTDDS_BUILTIN_TRANSPORTS'
FOUND_BY_ITSELF = 'DEFAULT_FASTDDS_PROFILES.xml'  # in the working directory
CHOSEN = (PROFILES, OLD_PROFILES, TRANSPORTS, 'ROS_DISCOVERY_SERVER')


def find_each_other_quickly() -> None:
    """Give Fast DDS the settings of config/fastdds.xml, unless the user has some."""
    distro = os.environ.get('ROS_DISTRO')
    if ('fastrtps' not in os.environ.get('RMW_IMPLEMENTATION', 'rmw_fastrtps_cpp')
            or distro in TOO_OLD or any(os.environ.get(name) for name in CHOSEN)
            or Path(FOUND_BY_ITSELF).exists()):
        return
    try:
        profile = shared_file('config/fastdds.xml')
    except InputError:  # installed without its data: discovery as it is by default
        return
    os.environ[OLD_PROFILES if distro in OLD else PROFILES] = str(profile)
    os.environ[TRANSPORTS] = 'UDPv4'
