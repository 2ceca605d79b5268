"""Install the Python package and the files that ROS looks for under share/ and lib/.

`ros2 run` looks for executables in lib/robot_dynamics. The nodes' are data files there and not
console scripts: those would put names such as `simulator` into the bin of everybody who uses pip.
"""

from glob import glob

from setuptools import setup

SHARE = 'share/robot_dynamics'

setup(
    python_requires='>=3.10',  # in setup.cfg it would stop colcon from reading this package
    data_files=[
        ('share/ament_index/resource_index/packages', ['resource/robot_dynamics']),
        ('lib/robot_dynamics', glob('scripts/*')),
        (SHARE, ['package.xml']),
        *((f'{SHARE}/{folder}', glob(f'{folder}/*.*'))
          for folder in ('launch', 'config', 'config/sros2', 'urdf', 'rviz')),
    ],
)
